// A clock that stands still until it is told otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "fermata/clock.h"

namespace fermata::testkit {

// Starts at zero, at 2020-01-01 00:00:00 UTC. Time of day moves along. A pause takes no time: the clock moves
// on by its length and keeps it in a list. Threads: any.
class ManualClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    return TimePoint(std::chrono::duration_cast<TimePoint::duration>(passed()));
  }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(kStart + std::chrono::duration_cast<WallTime::duration>(passed()));
  }

  bool pause(std::chrono::nanoseconds time,
             const std::function<bool(std::chrono::nanoseconds)>& wait) override {
    advance(time);
    {
      const std::lock_guard lock(mutex_);
      pauses_.push_back(time);
    }
    if (on_pause_) {
      on_pause_(time);
    }
    return wait(std::chrono::nanoseconds(0));
  }
  // Called in each pause: what others do meanwhile. Set it before the clock is used.
  void on_pause(std::function<void(std::chrono::nanoseconds)> happens) { on_pause_ = std::move(happens); }
  [[nodiscard]] std::vector<std::chrono::nanoseconds> pauses() const {
    const std::lock_guard lock(mutex_);
    return pauses_;
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
  std::function<void(std::chrono::nanoseconds)> on_pause_;
  mutable std::mutex mutex_;
  std::vector<std::chrono::nanoseconds> pauses_;
};

}  // namespace fermata::testkit
