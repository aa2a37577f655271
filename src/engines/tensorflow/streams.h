// Makes the standard streams that TensorFlow sees usable.
#pragma once

#include "engines/plugin_abi.h"

namespace fermata::tensorflow_plugin {

// Where the program has copies of std::cout, std::cerr and std::clog of its own, only those were initialised,
// while a library opened with RTLD_DEEPBIND sees the ones inside libstdc++: printing to them is a crash. They
// are constructed here, in place, on the program's buffers. To be called once.
void adopt_streams(const FermataHost& host);

}  // namespace fermata::tensorflow_plugin
