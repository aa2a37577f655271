// Messages from where nothing may fail: destructors, the way out, the ends of threads.
#pragma once

#include "fermata/log.h"

namespace fermata {

// Logs the text that `text` returns. One that cannot be made, for want of memory, is left out.
template <typename Text>
void log_made(LogLevel level, const Text& text) noexcept {
  try {
    log(level, text());
  } catch (...) {  // NOLINT(bugprone-empty-catch): as said above
  }
}

}  // namespace fermata
