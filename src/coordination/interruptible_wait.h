// A sleep that a stop request ends.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

#include "fermata/clock.h"

namespace fermata {

// Sleeps for `time`, less if `stop` is requested or a watched signal comes. True if it was cut short, or
// would have been. Threads: any.
[[nodiscard]] bool interruptible_wait(std::chrono::nanoseconds time, const std::stop_token& stop);

// The same in the time of `clock`.
[[nodiscard]] bool interruptible_wait(Clock& clock, std::chrono::nanoseconds time,
                                      const std::stop_token& stop);

}  // namespace fermata
