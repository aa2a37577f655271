#include "engines/tensorflow_graph/executor_choice.h"

#include <algorithm>

namespace fermata::tensorflow {
namespace {

ExecutorChoice::Duration median(std::vector<ExecutorChoice::Duration> durations) {
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

}  // namespace

Executor ExecutorChoice::next() {
  const Executor now = chosen();
  if (now != Executor::kAuto) {
    return now;
  }
  const std::lock_guard lock(mutex_);
  return started_++ % 2 == 0 ? Executor::kCaller : Executor::kPool;
}

void ExecutorChoice::measured(Executor executor, Duration duration) {
  const std::lock_guard lock(mutex_);
  if (chosen() != Executor::kAuto || ++finished_ <= kWarmUp) {
    return;
  }
  (executor == Executor::kPool ? pool_ : caller_).push_back(duration);
  if (pool_.size() >= kEach && caller_.size() >= kEach) {
    chosen_.store(median(pool_) < median(caller_) ? Executor::kPool : Executor::kCaller,
                  std::memory_order_release);
  }
}

}  // namespace fermata::tensorflow
