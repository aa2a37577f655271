// Decides when something that happens every n steps or every n seconds is due.
#pragma once

#include <memory>
#include <optional>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

class SessionRunContext;

// A timer that never triggered is due at once. An interval of 0 is due at each other step. In steps mode the
// clock is not read to answer. Threads: one at a time.
class FERMATA_API SecondOrStepTimer {
 public:
  // Exactly one of the two.
  struct Options {
    std::optional<double> every_secs;
    std::optional<Step> every_steps;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for both, neither, or a negative interval.
  explicit SecondOrStepTimer(Options options);

  // Whether `step` is due. Changes nothing. The step of the last trigger is never due again.
  [[nodiscard]] bool should_trigger_for_step(Step step) const;
  // The same for a hook in a run: asks the clock through the context, which asks it once for all hooks.
  [[nodiscard]] bool should_trigger_for_step(Step step, SessionRunContext& context) const;
  // Before this step none is due, whatever the clock says: for SessionRunHook::sleep_until. The smallest
  // number there is if that cannot be told.
  [[nodiscard]] Step not_due_before() const noexcept;

  // What passed since the trigger before; both absent at the first one.
  struct Elapsed {
    std::optional<double> seconds;
    std::optional<Step> steps;
  };
  // Notes that it triggered at `step`, now.
  Elapsed update_last_triggered_step(Step step);
  [[nodiscard]] std::optional<Step> last_triggered_step() const noexcept { return last_step_; }
  // Back to a timer that never triggered.
  void reset() noexcept;

 private:
  template <typename Now>
  [[nodiscard]] bool is_due(Step step, const Now& now) const;

  Options options_;
  std::optional<Step> last_step_;
  std::optional<Clock::TimePoint> last_time_;
};

}  // namespace fermata
