#include "fermata/hooks/second_or_step_timer.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "fermata/session_run_hook.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

// The nearest number there is where the distance leaves the range.
Step distance(Step from, Step to) noexcept {
  Step result = 0;
  if (!__builtin_sub_overflow(to, from, &result)) {
    return result;
  }
  return to > from ? std::numeric_limits<Step>::max() : std::numeric_limits<Step>::min();
}

}  // namespace

SecondOrStepTimer::SecondOrStepTimer(Options options) : options_(std::move(options)) {
  hooks::require_one_interval("SecondOrStepTimer", {"every_steps", options_.every_steps},
                              {"every_secs", options_.every_secs});
  options_.clock = hooks::clock_or_system(std::move(options_.clock));
}

bool SecondOrStepTimer::should_trigger_for_step(Step step) const {
  return is_due(step, [this] { return options_.clock->now(); });
}

bool SecondOrStepTimer::should_trigger_for_step(Step step, SessionRunContext& context) const {
  return is_due(step, [&] { return context.now(*options_.clock); });
}

template <typename Now>
bool SecondOrStepTimer::is_due(Step step, const Now& now) const {
  if (!last_step_) {
    return true;
  }
  if (step == *last_step_) {
    return false;
  }
  if (options_.every_secs) {
    const std::chrono::duration<double> passed = now() - *last_time_;
    return passed.count() >= *options_.every_secs;
  }
  // The distance rather than the sum, which could leave the range.
  return step > *last_step_ && static_cast<std::uint64_t>(step) - static_cast<std::uint64_t>(*last_step_) >=
                                   static_cast<std::uint64_t>(*options_.every_steps);
}

Step SecondOrStepTimer::not_due_before() const noexcept {
  constexpr Step kFirst = std::numeric_limits<Step>::min();
  if (!last_step_ || !options_.every_steps) {
    return kFirst;
  }
  Step due = 0;
  return __builtin_add_overflow(*last_step_, *options_.every_steps, &due) ? std::numeric_limits<Step>::max()
                                                                          : due;
}

SecondOrStepTimer::Elapsed SecondOrStepTimer::update_last_triggered_step(Step step) {
  const Clock::TimePoint now = options_.clock->now();
  Elapsed elapsed;
  if (last_step_) {
    elapsed.seconds = std::chrono::duration<double>(now - *last_time_).count();
    elapsed.steps = distance(*last_step_, step);
  }
  last_step_ = step;
  last_time_ = now;
  return elapsed;
}

void SecondOrStepTimer::reset() noexcept {
  last_step_.reset();
  last_time_.reset();
}

}  // namespace fermata
