#include "fermata/hooks/global_step_waiter_hook.h"

#include <fmt/format.h>

#include <utility>

#include "coordination/interruptible_wait.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

constexpr std::chrono::milliseconds kPause{500};
// Progress is logged whenever the step grew by more than this.
constexpr Step kProgress = 1000;

}  // namespace

GlobalStepWaiterHook::GlobalStepWaiterHook(Options options) : options_(std::move(options)) {
  options_.clock = hooks::clock_or_system(std::move(options_.clock));
}

void GlobalStepWaiterHook::begin(Graph& graph) {
  hooks::require_global_step(graph, name());
  reached_ = false;
}

const SessionRunArgs* GlobalStepWaiterHook::before_run(SessionRunContext& context) {
  if (!reached_) {
    if (options_.wait_until_step > 0) {
      wait(context);
    }
    reached_ = true;
  }
  sleep();
  return nullptr;
}

void GlobalStepWaiterHook::wait(SessionRunContext& context) const {
  log(LogLevel::kInfo, fmt::format("waiting for the global step to reach {}", options_.wait_until_step));
  const Clock::TimePoint start = options_.clock->now();
  Step logged = 0;
  for (;;) {
    const Step step = context.session().read_step();
    if (step >= options_.wait_until_step) {
      return;
    }
    if (step - logged > kProgress) {
      logged = step;
      log(LogLevel::kInfo, fmt::format("waiting for the global step to reach {}, now it is {}",
                                       options_.wait_until_step, step));
    }
    if (options_.clock->now() - start >= options_.max_wait) {
      throw Error(Code::kDeadlineExceeded,
                  fmt::format("{}: the global step should have reached {} within {:g} s, but is {}; do the "
                              "workers that count it run?",
                              name(), options_.wait_until_step,
                              std::chrono::duration<double>(options_.max_wait).count(), step),
                  ErrorSource::kSystem);
    }
    if (interruptible_wait(*options_.clock, kPause, context.stop_token())) {
      throw Interrupted(
          fmt::format("{}: a stop was requested while it waited for the global step to reach "
                      "{}, which is {}",
                      name(), options_.wait_until_step, step));
    }
  }
}

}  // namespace fermata
