#include "fermata/looper_thread.h"

#include <fmt/format.h>

#include <utility>

#include "coordination/thread_end.h"
#include "fermata/error.h"

namespace fermata {

struct LooperThread::State {
  Coordinator& coordinator;
  Options options;
  ThreadEnd end;

  void run() {
    if (options.start_loop) {
      options.start_loop();
    }
    if (options.timer_interval) {
      run_at(*options.timer_interval);
    } else {
      while (!coordinator.should_stop()) {
        options.target();
      }
    }
    if (options.stop_loop) {
      options.stop_loop();
    }
  }

  void run_at(std::chrono::nanoseconds interval) {
    Clock& clock = *options.clock;
    const Clock::TimePoint start = clock.now();
    std::chrono::nanoseconds due{0};
    while (!stopped_within(due - (clock.now() - start))) {
      due += interval;
      options.target();
    }
  }

  [[nodiscard]] bool stopped_within(std::chrono::nanoseconds time) {
    if (time <= std::chrono::nanoseconds::zero()) {
      return coordinator.should_stop();
    }
    return options.clock->pause(
        time, [this](std::chrono::nanoseconds slice) { return coordinator.wait_for_stop(slice); });
  }
};

LooperThread::LooperThread(Coordinator& coordinator, Options options) {
  if (!options.target) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: a function to call was expected, but target is empty", options.name));
  }
  if (!options.clock) {
    options.clock = Clock::system();
  }
  // NOLINTNEXTLINE(modernize-make-shared): it makes no aggregates, as far as clang 14 goes.
  state_ = std::shared_ptr<State>(new State{coordinator, std::move(options), {}});
}

LooperThread::~LooperThread() = default;
LooperThread::LooperThread(LooperThread&&) noexcept = default;
LooperThread& LooperThread::operator=(LooperThread&&) noexcept = default;

LooperThread LooperThread::loop(Coordinator& coordinator,
                                std::optional<std::chrono::nanoseconds> timer_interval,
                                std::function<void()> target) {
  LooperThread looper(coordinator, {.timer_interval = timer_interval, .target = std::move(target)});
  looper.start();
  return looper;
}

void LooperThread::start() {
  if (!state_->end.note_start()) {
    throw Misuse(fmt::format("{} was started before; make a new one", state_->options.name));
  }
  const auto body = [state = state_] {
    // Reported before the end is noted, so that who sees the end sees the error too.
    state->coordinator.stop_on_exception([&] { state->run(); });
    state->end.note_end();
  };
  try {
    state_->coordinator.start_thread(state_->options.name, body);
  } catch (...) {
    state_->end.note_end();
    throw;
  }
}

bool LooperThread::is_alive() const { return state_->end.running(); }

void LooperThread::join() const { state_->end.wait(); }

}  // namespace fermata
