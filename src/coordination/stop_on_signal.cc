#include "fermata/stop_on_signal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "fermata/error.h"

namespace fermata {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

std::atomic<int> received_signal{0};
std::atomic<bool> installed{false};
struct sigaction earlier_actions[std::size(kSignals)];

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void on_signal(int signal) {
  int none = 0;
  if (!received_signal.compare_exchange_strong(none, signal)) {
    // The second one: the user does not want to wait. Nothing but async-signal-safe calls is allowed here.
    _exit(128 + signal);
  }
}

}  // namespace

StopOnSignal::StopOnSignal() {
  if (installed.exchange(true)) {
    throw Misuse("SIGINT and SIGTERM are watched by another session of this process; let one of them watch");
  }
  received_signal.store(0);
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &action, &earlier_actions[i]);
  }
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &earlier_actions[i], nullptr);
  }
  received_signal.store(0);
  installed.store(false);
}

int StopOnSignal::received() noexcept { return received_signal.load(std::memory_order_relaxed); }

}  // namespace fermata
