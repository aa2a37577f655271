// Notes for the report what only the session knows.
#pragma once

#include <optional>
#include <string>

#include "cli/process_start.h"
#include "fermata/session_run_hook.h"

namespace fermata::cli {

class RunRecordHook : public SessionRunHook {
 public:
  [[nodiscard]] std::string name() const override { return "RunRecordHook"; }

  void after_run(SessionRunContext& context, const SessionRunValues& /*values*/) override {
    if (!seconds_to_first_step_) {
      seconds_to_first_step_ = seconds_since_start();
      note_executor(context.session());
    }
  }

  // By now the session has made up its mind, if it was to choose.
  void end(Session& session) override {
    if (seconds_to_first_step_) {
      note_executor(session);
    }
  }

  [[nodiscard]] std::optional<double> seconds_to_first_step() const noexcept {
    return seconds_to_first_step_;
  }
  // Empty before the first step.
  [[nodiscard]] const std::string& executor() const noexcept { return executor_; }

 private:
  void note_executor(const Session& session) { executor_ = executor_name(session.executor()); }

  std::optional<double> seconds_to_first_step_;
  std::string executor_;
};

}  // namespace fermata::cli
