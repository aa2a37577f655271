// Opens TensorFlow's libraries and the plug-in that speaks to them, once per process.
#pragma once

#include <string>

#include "engines/plugin_abi.h"

namespace fermata::tensorflow {

// The engine as it is loaded. Lives as long as the process.
struct Runtime {
  const FermataPluginApi* api = nullptr;
  std::string folder;   // of the libraries
  std::string version;  // "2.21.0"
};

struct LoadOptions {
  // Folder of the libraries; empty: searched.
  std::string library_dir;
  // TensorFlow's own messages are shown, those of its start-up too.
  bool verbose = false;
};

// The first call that succeeds loads; later ones give the same, whatever their options say. A call that fails
// may be tried again. Threads: any. Throws: Error that says what is missing and how to get it.
[[nodiscard]] const Runtime& load_runtime(const LoadOptions& options);

}  // namespace fermata::tensorflow
