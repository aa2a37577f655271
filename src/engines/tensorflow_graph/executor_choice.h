// Pool or caller's thread: chosen by measuring the first steps.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

#include "fermata/session.h"

namespace fermata::tensorflow {

// Alternates between both for a few tens of runs, then keeps the one with the smaller median. One per
// session. Threads: any; only one run at a time is measured.
class ExecutorChoice {
 public:
  using Duration = std::chrono::nanoseconds;

  // Anything but kAuto is kept as it is.
  explicit ExecutorChoice(Executor wanted) noexcept : chosen_(wanted) {}

  // kAuto while it is still being measured.
  [[nodiscard]] Executor chosen() const noexcept { return chosen_.load(std::memory_order_acquire); }

  // How the next training run is to be run. Until the choice is made its duration is wanted.
  [[nodiscard]] Executor next();
  void measured(Executor executor, Duration duration);

 private:
  // The first runs build the executors' plans.
  static constexpr std::size_t kWarmUp = 6;
  static constexpr std::size_t kEach = 12;

  std::atomic<Executor> chosen_;
  std::mutex mutex_;
  std::size_t started_ = 0;
  std::size_t finished_ = 0;
  std::vector<Duration> pool_;
  std::vector<Duration> caller_;
};

}  // namespace fermata::tensorflow
