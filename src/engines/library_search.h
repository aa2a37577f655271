// Where TensorFlow's two libraries and the plug-in are looked for. Looks at folders only; opens nothing.
#pragma once

#include <string>
#include <vector>

namespace fermata::tensorflow {

inline constexpr const char* kFrameworkLibrary = "libtensorflow_framework.so.2";
inline constexpr const char* kTensorFlowLibrary = "libtensorflow_cc.so.2";
inline constexpr const char* kPluginLibrary = "libfermata_tensorflow.so";

// What the search depends on, so that tests can set it.
struct SearchSurroundings {
  std::string variable;     // FERMATA_TENSORFLOW_DIR of the environment
  std::string configured;   // the folder of the build
  std::string cache;        // ${XDG_CACHE_HOME:-$HOME/.cache}/fermata
  std::string home;         // $HOME
  std::string virtual_env;  // $VIRTUAL_ENV
  std::string version;      // the version that is wanted
  std::vector<std::string> system_prefixes = {"/usr/local", "/usr"};
};

// As the process sees them.
[[nodiscard]] SearchSurroundings current_surroundings();

struct FoundLibrary {
  std::string folder;               // that holds both libraries; empty: none does
  std::vector<std::string> places;  // all that were looked at, in order
};

// In this order: the variable, the configured folder, the cache, installed Python packages. A folder may hold
// the libraries itself or in its `lib`. A `dir` that is not empty is the only place.
[[nodiscard]] FoundLibrary search_library(const std::string& dir, const SearchSurroundings& surroundings);

// The plug-in: beside the library this code is in, in `lib` beside its folder, in the build folder.
[[nodiscard]] FoundLibrary search_plugin();

}  // namespace fermata::tensorflow
