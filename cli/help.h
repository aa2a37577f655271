// The text of `fermata --help` and `fermata help exit-codes`.
#pragma once

#include <string>

namespace fermata::cli {

[[nodiscard]] std::string general_help();
[[nodiscard]] std::string exit_codes_help();

}  // namespace fermata::cli
