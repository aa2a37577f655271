// A wish to stop that comes from outside of the loop.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>

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
  // For those who wait: the same request.
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::atomic<bool> requested_{false};
  mutable std::mutex mutex_;
  std::optional<StopRequest> request_;
  std::stop_source source_;
};

}  // namespace fermata
