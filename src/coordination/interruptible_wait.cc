#include "coordination/interruptible_wait.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "fermata/stop_on_signal.h"

namespace fermata {
namespace {

// A signal handler cannot wake a condition variable, so a wait looks this often.
constexpr std::chrono::milliseconds kSignalPoll{50};

// Longer waits are cut to this, so that a deadline does not overflow the clock.
constexpr std::chrono::hours kLongest{24 * 365};

bool stopped(const std::stop_token& stop) noexcept {
  return stop.stop_requested() || StopOnSignal::received() != 0;
}

}  // namespace

bool interruptible_wait(std::chrono::nanoseconds time, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + std::min<std::chrono::nanoseconds>(time, kLongest);
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  while (!stopped(stop)) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) {
      return false;
    }
    woken.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(left, kSignalPoll), [] { return false; });
  }
  return true;
}

bool interruptible_wait(Clock& clock, std::chrono::nanoseconds time, const std::stop_token& stop) {
  return clock.pause(time,
                     [&stop](std::chrono::nanoseconds slice) { return interruptible_wait(slice, stop); });
}

}  // namespace fermata
