// Time, injectable: hooks and timers ask a Clock, so tests move it by hand.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "fermata/export.h"

namespace fermata {

// Threads: every function may be called from any thread.
class FERMATA_API Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using WallTime = std::chrono::system_clock::time_point;

  virtual ~Clock();

  // Never goes back. Intervals are measured with this.
  [[nodiscard]] virtual TimePoint now() const = 0;

  // Time of day, for event files and state files only.
  [[nodiscard]] virtual WallTime wall_now() const = 0;

  // Lets `time` pass, unless something ends the wait: `wait` sleeps for at most the time it is given and
  // answers whether it was ended; so does this. Default: one call of `wait`. A clock that is moved by hand
  // moves on instead, and calls `wait` with zero, which only asks.
  virtual bool pause(std::chrono::nanoseconds time,
                     const std::function<bool(std::chrono::nanoseconds)>& wait);

  // The machine's clock; the default everywhere.
  [[nodiscard]] static std::shared_ptr<Clock> system();
};

}  // namespace fermata
