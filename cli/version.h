// Which program this is.
#pragma once

#include <string>

namespace fermata::cli {

// "0.1.0".
[[nodiscard]] std::string fermata_version();

// What the program was compiled with: "g++ 12.2.0", "clang 14.0.6".
[[nodiscard]] std::string compiler_version();

}  // namespace fermata::cli
