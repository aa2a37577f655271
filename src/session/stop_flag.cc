#include "session/stop_flag.h"

#include <utility>

namespace fermata {

void StopFlag::request(StopRequest request) {
  {
    const std::lock_guard lock(mutex_);
    if (!request_) {
      request_ = std::move(request);
      requested_.store(true, std::memory_order_release);
    }
  }
  source_.request_stop();
}

std::optional<StopRequest> StopFlag::get() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

}  // namespace fermata
