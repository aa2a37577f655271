// A clock that stands still until it is told otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fermata/clock.h"

namespace fermata::testkit {

// Starts at zero, at 2020-01-01 00:00:00 UTC. Time of day moves along. Threads: any.
class ManualClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    return TimePoint(std::chrono::duration_cast<TimePoint::duration>(passed()));
  }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(kStart + std::chrono::duration_cast<WallTime::duration>(passed()));
  }

  void advance(std::chrono::nanoseconds by) noexcept { passed_ns_ += by.count(); }
  // 0.1 is 100,000,000 ns exactly: the nearest nanosecond is taken.
  void advance_seconds(double seconds) noexcept {
    advance(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds)));
  }
  [[nodiscard]] std::chrono::nanoseconds passed() const noexcept {
    return std::chrono::nanoseconds(passed_ns_.load());
  }

 private:
  static constexpr std::chrono::seconds kStart{1'577'836'800};
  std::atomic<std::int64_t> passed_ns_{0};
};

}  // namespace fermata::testkit
