#include "cli/evaluation_hook.h"

#include <utility>

#include "fermata/stop_on_signal.h"

namespace fermata::cli {

EvaluationHook::EvaluationHook(Options options) : options_(std::move(options)) {}

void EvaluationHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!options_.every || !values.step() || !context.step()) {
    return;
  }
  if (*context.step() / *options_.every != *values.step() / *options_.every) {
    evaluate(context.session(), *values.step());
  }
}

void EvaluationHook::end(Session& session) {
  const Step step = session.read_step();
  if (StopOnSignal::received() == 0 && last_step_ != step) {
    evaluate(session, step);
  }
}

void EvaluationHook::evaluate(Session& session, Step step) {
  std::optional<EvaluationResult> result = options_.evaluation.run(session);
  if (!result) {
    return;
  }
  last_step_ = step;
  last_result_ = std::move(result);
  options_.show_to(step, *last_result_);
}

}  // namespace fermata::cli
