// When the process began, for "seconds" and "seconds to the first step".
#pragma once

#include <chrono>

namespace fermata::cli {

// The time of the first call; main makes it before anything else.
inline std::chrono::steady_clock::time_point process_start() {
  static const auto start = std::chrono::steady_clock::now();
  return start;
}

[[nodiscard]] inline double seconds_since_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - process_start()).count();
}

}  // namespace fermata::cli
