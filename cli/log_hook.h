// Fetches the watched values and hands them out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/step_values.h"
#include "cli/train_options.h"
#include "fermata/session_run_hook.h"

namespace fermata::cli {

// Values are logged in each run that reaches or crosses a multiple of `every`: these steps are the same
// however often the run was interrupted. The first run and the last one are shown besides. Only such runs
// fetch the values, unless each of them has to be looked at for NaN.
class LogHook : public SessionRunHook {
 public:
  struct Options {
    std::vector<NamedOutput> values;
    Step every = 100;
    OnNan on_nan = OnNan::kShow;
    // The step that the run will end at, as far as that is known.
    std::function<std::optional<Step>()> goal;
    // For logged steps.
    std::vector<ValueSink> log_to;
    // For logged steps, the first one and the last one.
    std::vector<ValueSink> show_to;
  };

  explicit LogHook(Options options);

  [[nodiscard]] std::string name() const override { return "LogHook"; }
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  // Throws: NanLossError with OnNan::kFail.
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

  // Of the values, as they were given.
  [[nodiscard]] std::vector<std::string> names() const;

  struct LastValue {
    std::string name;
    Tensor value;
  };
  // Those that were shown last.
  [[nodiscard]] const std::vector<LastValue>& last_values() const noexcept { return last_values_; }

 private:
  [[nodiscard]] bool expected(Step before) const;
  void end_for_nan(SessionRunContext& context, const NamedView& value, Step step) const;
  void keep(const StepValues& values);

  Options options_;
  SessionRunArgs args_;
  std::vector<NamedView> views_;
  std::vector<LastValue> last_values_;
  Step before_ = 0;
  // What a run adds to the step, as far as the runs before told.
  Step increment_ = 1;
  bool first_ = true;
  bool overdue_ = false;
  bool fetched_ = false;
};

}  // namespace fermata::cli
