#include "session/stop_flag.h"

#include <algorithm>
#include <utility>

#include "fermata/stop_on_signal.h"

namespace fermata {
namespace {

// A signal handler cannot wake a condition variable, so a wait looks this often.
constexpr std::chrono::milliseconds kSignalPoll{50};

}  // namespace

void StopFlag::request(StopRequest request) {
  const std::lock_guard lock(mutex_);
  if (!request_) {
    request_ = std::move(request);
    requested_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

std::optional<StopRequest> StopFlag::get() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

bool StopFlag::wait_for(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  while (time > std::chrono::nanoseconds::zero()) {
    const auto slice = std::min<std::chrono::nanoseconds>(time, kSignalPoll);
    if (changed_.wait_for(lock, slice, [this] { return request_.has_value(); }) ||
        StopOnSignal::received() != 0) {
      return true;
    }
    time -= slice;
  }
  return request_.has_value();
}

}  // namespace fermata
