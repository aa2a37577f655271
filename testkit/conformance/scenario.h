// Scenarios as they are on disk.
#pragma once

#include <string>
#include <vector>

#include "conformance/json.h"

namespace fermata::conformance {

struct Scenario {
  std::string id;
  // The folder it was read from.
  std::string folder;
  Json json;
};

// All scenarios of `<folder>/*.json`, in the order of the files' names.
// Throws: std::runtime_error that names the file.
[[nodiscard]] std::vector<Scenario> read_scenarios(const std::string& folder);

}  // namespace fermata::conformance
