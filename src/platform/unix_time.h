// Time of day as files hold it.
#pragma once

#include <chrono>

namespace fermata {

// Seconds since 1970. The fraction is added to the whole seconds, so that it keeps all its digits.
[[nodiscard]] inline double unix_seconds(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  return static_cast<double>(whole.time_since_epoch().count()) +
         std::chrono::duration<double>(time - whole).count();
}

}  // namespace fermata
