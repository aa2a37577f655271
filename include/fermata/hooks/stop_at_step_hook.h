// Stops the loop at a step.
#pragma once

#include <optional>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Requests stop after either a number of steps or at a last step. `num_steps` counts from the step at which
// the session was first created (a recovery does not count anew, a second session does); `last_step` is
// absolute. A run that makes several steps stops at the first step at or past the target. If the target is
// reached when the session is created, no step is run. An input that ends before the target is warned about.
// Asks nothing of a run: it looks at values.step().
class FERMATA_API StopAtStepHook : public SessionRunHook {
 public:
  // Exactly one of the two.
  struct Options {
    std::optional<Step> num_steps;
    std::optional<Step> last_step;
  };

  // Throws: Error kInvalidArgument for both, neither, or a negative number.
  explicit StopAtStepHook(Options options);

  // Throws: Misuse if the graph has no global step.
  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void finished(const StopVerdict& verdict) override;

  // The step it stops at; absent with num_steps before a session was created.
  [[nodiscard]] std::optional<Step> last_step() const noexcept { return last_step_; }

 private:
  void start_counting(Step step);

  Options options_;
  std::optional<Step> last_step_;
  std::optional<Step> start_step_;
};

}  // namespace fermata
