#include "conformance/scenario.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fermata::conformance {

std::vector<Scenario> read_scenarios(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Scenario> scenarios;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    try {
      const Json group = Json::parse(file);
      for (const Json& scenario : group.at("scenarios")) {
        scenarios.push_back({scenario.at("id").get<std::string>(), folder, scenario});
      }
    } catch (const Json::exception& error) {
      throw std::runtime_error(path.string() + ": " + error.what());
    }
  }
  return scenarios;
}

}  // namespace fermata::conformance
