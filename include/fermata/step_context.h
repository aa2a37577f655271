// What a step function gets of the session that calls it.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "fermata/export.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Valid during one call of a step function (MonitoredSession::run_step_fn). Threads: that of the call.
class FERMATA_API StepContext {
 public:
  using RunWithHooks = std::function<ResultsView(const SessionRunArgs&)>;
  using RequestStop = std::function<void(std::string)>;

  // For who drives step functions: a session, or a test. `request_stop` may throw.
  StepContext(Session& session, RunWithHooks run_with_hooks, RequestStop request_stop)
      : session_(session),
        run_with_hooks_(std::move(run_with_hooks)),
        request_stop_(std::move(request_stop)) {}

  // The raw session; its runs call no hooks. After a recovery the function is called again with the new one.
  [[nodiscard]] Session& session() const noexcept { return session_; }

  // One step with the hooks around it, as MonitoredSession::run, but a preemption is not recovered here: it
  // leaves the function, which is then called again from its beginning. The view is valid until the next run
  // with hooks.
  ResultsView run_with_hooks(const SessionRunArgs& args) const { return run_with_hooks_(args); }

  // Ends the loop: leaves the function by StopIteration. should_stop answers true from now on. No hook is
  // called.
  [[noreturn]] void request_stop(std::string message = {}) const;

 private:
  Session& session_;
  RunWithHooks run_with_hooks_;
  RequestStop request_stop_;
};

}  // namespace fermata
