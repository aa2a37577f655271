// Decides when something that happens every n steps or every n seconds is due.
#pragma once

#include <memory>
#include <optional>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

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
  Options options_;
  std::optional<Step> last_step_;
  std::optional<Clock::TimePoint> last_time_;
};

}  // namespace fermata
