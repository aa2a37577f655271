// A wish to stop that comes from outside of the loop.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "fermata/stop_verdict.h"

namespace fermata {

// Threads: any.
class StopFlag {
 public:
  // The first request is kept.
  void request(StopRequest request);
  // Costs one atomic load.
  [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }
  [[nodiscard]] std::optional<StopRequest> get() const;
  // Sleeps for `time`, less if a stop is requested or a watched signal comes. True if it was cut short.
  bool wait_for(std::chrono::nanoseconds time);

 private:
  std::atomic<bool> requested_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StopRequest> request_;
};

}  // namespace fermata
