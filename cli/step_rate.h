// How fast the steps go.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "fermata/step.h"

namespace fermata::cli {

// Steps per second over the last few seconds. Threads: one at a time.
class StepRate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Samples older than `window` are forgotten, but for the newest one of them.
  explicit StepRate(std::chrono::nanoseconds window = std::chrono::seconds(10)) : window_(window) {}

  // A step that lies before the last one (a session made anew) starts the measurement again.
  void add(TimePoint time, Step step);

  // Nothing before two samples at different times.
  [[nodiscard]] std::optional<double> steps_per_second() const;

 private:
  struct Sample {
    TimePoint time;
    Step step;
  };
  std::chrono::nanoseconds window_;
  std::deque<Sample> samples_;
};

}  // namespace fermata::cli
