// Shows how far the run is.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/progress_text.h"
#include "cli/screen.h"
#include "cli/step_rate.h"
#include "cli/step_values.h"
#include "cli/train_options.h"
#include "fermata/clock.h"
#include "fermata/session_run_hook.h"

namespace fermata::cli {

// Speed is measured from the end of the first run on, which is the slowest. The bar is drawn anew ten times a
// second; a line is written for each step whose values are shown.
class ProgressHook : public SessionRunHook {
 public:
  struct Options {
    ProgressStyle style = ProgressStyle::kAuto;
    std::shared_ptr<Screen> screen;
    std::optional<std::chrono::nanoseconds> time_limit;
    // The step that the run will end at, as far as that is known.
    std::function<std::optional<Step>()> goal;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  explicit ProgressHook(Options options);

  [[nodiscard]] std::string name() const override { return "ProgressHook"; }
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void finished(const StopVerdict& verdict) override;

  // Values of a step that is over.
  void show(const StepValues& values);

 private:
  [[nodiscard]] bool is_bar() const { return options_.style == ProgressStyle::kBar; }
  void update(Step step, Clock::TimePoint now);
  void draw();

  Options options_;
  ProgressState state_;
  StepRate rate_;
  std::optional<Clock::TimePoint> deadline_;
  std::optional<Clock::TimePoint> drawn_;
  bool started_ = false;
};

}  // namespace fermata::cli
