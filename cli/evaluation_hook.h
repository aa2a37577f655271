// Evaluates every n steps and at the end.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/evaluation.h"
#include "fermata/session_run_hook.h"

namespace fermata::cli {

// At a clean end it evaluates too, unless it just did, or a signal ended the run: then whoever sent it waits
// for the last checkpoint only.
class EvaluationHook : public SessionRunHook {
 public:
  struct Options {
    Evaluation evaluation;
    // Absent: only at the end.
    std::optional<Step> every;
    std::function<void(Step, const EvaluationResult&)> show_to;
  };

  explicit EvaluationHook(Options options);

  [[nodiscard]] std::string name() const override { return "EvaluationHook"; }
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

  [[nodiscard]] const std::optional<EvaluationResult>& last_result() const noexcept { return last_result_; }

 private:
  void evaluate(Session& session, Step step);

  Options options_;
  std::optional<Step> last_step_;
  std::optional<EvaluationResult> last_result_;
};

}  // namespace fermata::cli
