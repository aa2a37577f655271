// Whether a thread runs, and waiting for its end.
#pragma once

#include <condition_variable>
#include <mutex>

namespace fermata {

// Threads: any.
class ThreadEnd {
 public:
  // False for a second start.
  [[nodiscard]] bool note_start() {
    const std::lock_guard lock(mutex_);
    const bool first = !started_;
    started_ = true;
    running_ = running_ || first;
    return first;
  }

  void note_end() {
    // Notified under the lock: who waits may destroy this as soon as it has the lock.
    const std::lock_guard lock(mutex_);
    running_ = false;
    ended_.notify_all();
  }

  [[nodiscard]] bool running() const {
    const std::lock_guard lock(mutex_);
    return running_;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return !running_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool started_ = false;
  bool running_ = false;
};

}  // namespace fermata
