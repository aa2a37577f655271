#include "checkpoint/save_thread.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace fermata {

struct SaveThread::State {
  std::mutex mutex;
  std::condition_variable done;
  std::atomic<bool> busy{false};
};

SaveThread::SaveThread() : state_(std::make_shared<State>()) {}

SaveThread::~SaveThread() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

void SaveThread::start(std::function<void()> work) {
  if (thread_.joinable()) {
    thread_.join();
  }
  state_->busy = true;
  try {
    thread_ = std::thread([state = state_, work = std::move(work)]() mutable {
      work();
      // What the work holds is let go of before anyone may think that it is over.
      work = nullptr;
      const std::lock_guard lock(state->mutex);
      state->busy = false;
      state->done.notify_all();
    });
  } catch (...) {
    state_->busy = false;
    throw;
  }
}

bool SaveThread::busy() const noexcept { return state_->busy.load(std::memory_order_acquire); }

bool SaveThread::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  return state_->done.wait_for(lock, timeout, [this] { return !busy(); });
}

void SaveThread::abandon() {
  if (thread_.joinable()) {
    thread_.detach();
  }
  state_ = std::make_shared<State>();
}

}  // namespace fermata
