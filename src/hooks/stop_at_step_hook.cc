#include "fermata/hooks/stop_at_step_hook.h"

#include <fmt/format.h>

#include <limits>

#include "fermata/coordinator.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "fermata/stop_verdict.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

void require_not_negative(const char* name, std::optional<Step> value) {
  if (value && *value < 0) {
    throw Error(Code::kInvalidArgument,
                fmt::format("StopAtStepHook: {} must not be negative, but is {}", name, *value));
  }
}

// A count that is meant to be endless must not wrap around to a step long passed.
Step add_steps(Step from, Step steps) {
  constexpr Step kLast = std::numeric_limits<Step>::max();
  return from > kLast - steps ? kLast : from + steps;
}

}  // namespace

StopAtStepHook::StopAtStepHook(Options options) : options_(options), last_step_(options.last_step) {
  if (options_.num_steps.has_value() == options_.last_step.has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("StopAtStepHook: exactly one of num_steps and last_step must be given, but {}",
                            options_.num_steps ? "both were" : "neither was"));
  }
  require_not_negative("num_steps", options_.num_steps);
  require_not_negative("last_step", options_.last_step);
}

void StopAtStepHook::begin(Graph& graph) {
  hooks::require_global_step(graph, name());
  // A hook that serves a second session counts anew.
  start_step_.reset();
  last_step_ = options_.last_step;
}

void StopAtStepHook::after_create_session(Session& session, Coordinator* coordinator) {
  const Step step = session.read_step();
  start_counting(step);
  sleep_until(*last_step_);
  if (step < *last_step_ || coordinator == nullptr) {
    return;
  }
  // A session made by recovery may come back at a target that was reached by runs.
  const bool by_runs = *start_step_ < *last_step_;
  coordinator->request_stop(
      StopRequest{.reason = by_runs ? StopReason::kTargetReached : StopReason::kAlreadyAtTarget,
                  .by = name(),
                  .message = fmt::format("the target is step {}", *last_step_)});
}

void StopAtStepHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!values.step()) {
    return;
  }
  if (!last_step_) {
    // Driven without after_create_session: the step before the first run stands for it.
    start_counting(context.step().value_or(*values.step()));
  }
  if (*values.step() >= *last_step_) {
    context.request_stop(fmt::format("the target is step {}", *last_step_), StopReason::kTargetReached);
  }
}

// Whoever set a target and gave too little input takes the early end for a fault of the hook otherwise.
void StopAtStepHook::finished(const StopVerdict& verdict) {
  if (verdict.reason == StopReason::kEndOfInput && verdict.step && last_step_ &&
      *verdict.step < *last_step_) {
    log(LogLevel::kWarning, fmt::format("{}: the input ended at step {}, before the target, step {}", name(),
                                        *verdict.step, *last_step_));
  }
}

void StopAtStepHook::start_counting(Step step) {
  if (!start_step_) {
    start_step_ = step;
  }
  if (!last_step_) {
    last_step_ = add_steps(step, *options_.num_steps);
  }
}

}  // namespace fermata
