// What the plug-in knows about the process it was opened in.
#pragma once

#include "engines/plugin_abi.h"

namespace fermata::tensorflow_plugin {

struct Runtime {
  FermataHost host{};
  // Plans use RunCallable of the C++ API, which is only right with the library the plug-in was compiled for.
  bool prepared_calls = false;
};

[[nodiscard]] const Runtime& runtime() noexcept;

// Takes over what the core hands in; the second call changes nothing.
void set_up_runtime(const FermataHost& host);

// Level as in fermata::LogLevel.
void log_warning(const char* message) noexcept;

}  // namespace fermata::tensorflow_plugin
