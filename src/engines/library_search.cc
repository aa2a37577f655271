#include "engines/library_search.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "build_config.h"

namespace fermata::tensorflow {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool holds_libraries(const fs::path& folder) {
  return is_file(folder / kTensorFlowLibrary) && is_file(folder / kFrameworkLibrary);
}

// Collects places; the first that holds the libraries wins, and nothing is looked at after it.
class Search {
 public:
  void look_at(const fs::path& folder) {
    if (!found_.folder.empty() || folder.empty() || std::ranges::count(found_.places, folder.string()) != 0) {
      return;
    }
    found_.places.push_back(folder.string());
    for (const fs::path& candidate : {folder / "lib", folder}) {
      if (found_.folder.empty() && holds_libraries(candidate)) {
        found_.folder = candidate.string();
      }
    }
  }

  // The package of each Python under `prefix`.
  void look_at_packages(const fs::path& prefix) {
    if (prefix.empty()) {
      return;
    }
    std::error_code ignored;
    std::vector<fs::path> pythons;
    for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", ignored)) {
      if (entry.path().filename().string().starts_with("python3")) {
        pythons.push_back(entry.path());
      }
    }
    std::ranges::sort(pythons);
    for (const fs::path& python : pythons) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        if (fs::is_directory(python / packages / "tensorflow", ignored)) {
          look_at(python / packages / "tensorflow");
        }
      }
    }
    note(prefix / "lib" / "python3*");
  }

  [[nodiscard]] FoundLibrary take() { return std::move(found_); }

 private:
  void note(const fs::path& place) {
    if (found_.folder.empty()) {
      found_.places.push_back(place.string());
    }
  }

  FoundLibrary found_;
};

fs::path folder_of_this_library() {
  static const char inside = 0;
  Dl_info info;
  std::error_code ignored;
  if (dladdr(&inside, &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  return fs::weakly_canonical(info.dli_fname, ignored).parent_path();
}

}  // namespace

SearchSurroundings current_surroundings() {
  SearchSurroundings here;
  here.variable = variable("FERMATA_TENSORFLOW_DIR");
  here.configured = build_config::kTensorFlowDir;
  here.home = variable("HOME");
  const std::string cache = variable("XDG_CACHE_HOME");
  if (!cache.empty() || !here.home.empty()) {
    here.cache = (cache.empty() ? here.home + "/.cache" : cache) + "/fermata";
  }
  here.virtual_env = variable("VIRTUAL_ENV");
  here.version = build_config::kTensorFlowVersion;
  return here;
}

FoundLibrary search_library(const std::string& dir, const SearchSurroundings& here) {
  Search search;
  if (!dir.empty()) {
    search.look_at(dir);
    return search.take();
  }
  search.look_at(here.variable);
  search.look_at(here.configured);
  if (!here.cache.empty()) {
    search.look_at(here.cache + "/tensorflow-" + here.version);
  }
  search.look_at_packages(here.virtual_env);
  if (!here.cache.empty()) {
    search.look_at_packages(here.cache + "/python-" + here.version);
  }
  if (!here.home.empty()) {
    search.look_at_packages(here.home + "/.local");
  }
  for (const std::string& prefix : here.system_prefixes) {
    search.look_at_packages(prefix);
  }
  return search.take();
}

FoundLibrary search_plugin() {
  FoundLibrary found;
  const fs::path here = folder_of_this_library();
  for (const fs::path& folder :
       {here, here / "fermata", here.parent_path() / "lib", fs::path(build_config::kBuildPluginDir)}) {
    if (folder.empty() || !found.folder.empty() || std::ranges::count(found.places, folder.string()) != 0) {
      continue;
    }
    found.places.push_back(folder.string());
    if (is_file(folder / kPluginLibrary)) {
      found.folder = folder.string();
    }
  }
  return found;
}

}  // namespace fermata::tensorflow
