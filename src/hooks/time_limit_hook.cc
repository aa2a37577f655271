#include "fermata/hooks/time_limit_hook.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/error.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

TimeLimitHook::TimeLimitHook(Options options) : options_(std::move(options)) {
  if (options_.limit <= std::chrono::nanoseconds::zero()) {
    throw Error(Code::kInvalidArgument, fmt::format("TimeLimitHook: limit must be more than 0 s, but is {} s",
                                                    seconds(options_.limit)));
  }
  options_.clock = hooks::clock_or_system(std::move(options_.clock));
}

void TimeLimitHook::begin(Graph& /*graph*/) { start_ = options_.clock->now(); }

void TimeLimitHook::after_run(SessionRunContext& context, const SessionRunValues& /*values*/) {
  // The distance rather than a deadline, which could leave the range of time points.
  const std::chrono::nanoseconds passed = context.now(*options_.clock) - start_;
  if (passed >= options_.limit) {
    context.request_stop(
        fmt::format("{:.1f} s passed, the limit is {} s", seconds(passed), seconds(options_.limit)),
        StopReason::kDeadline);
  }
}

}  // namespace fermata
