// For tests: files in tests/fixtures. The build names the folder in FERMATA_TEST_FIXTURES.
#pragma once

#include <string>
#include <string_view>

namespace fermata {

[[nodiscard]] inline std::string fixture_path(std::string_view name) {
  return std::string(FERMATA_TEST_FIXTURES "/").append(name);
}

}  // namespace fermata
