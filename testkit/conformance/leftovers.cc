#include "conformance/leftovers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fermata::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_files(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Json files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : all_files(folder)) {
    fs::path name = fs::relative(file, folder);
    if (name.filename().string().rfind("events.out.tfevents.", 0) == 0) {
      name.replace_filename("events.out.tfevents.*");
    }
    names.push_back(name.string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json states_in(const World& world) {
  Json states = Json::object();
  for (const fs::path& file : all_files(world.folder())) {
    const std::string name = file.filename().string();
    if (name.rfind("checkpoint", 0) == 0 && name.find('.') == std::string::npos) {
      std::ifstream in(file);
      std::ostringstream text;
      text << in.rdbuf();
      states[fs::relative(file, world.folder()).string()] = world.shown(text.str());
    }
  }
  return states;
}

Json checkpoints_in(const std::string& /*folder*/) { return Json::object(); }
Json events_in(const World& /*world*/) { return Json::object(); }

}  // namespace fermata::conformance
