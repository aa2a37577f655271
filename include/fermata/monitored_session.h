// The loop's session: hooks around each run, recovery, one way out.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/coordinator.h"
#include "fermata/error.h"
#include "fermata/export.h"
#include "fermata/session_creator.h"
#include "fermata/session_run_hook.h"
#include "fermata/step_context.h"
#include "fermata/stop_verdict.h"

namespace fermata {

// How a session is made anew after an error that means "the other side went away".
struct RecoveryPolicy {
  // Which errors mean that. Default: kAborted and kUnavailable, whoever throws them, a hook too. kOutOfRange
  // is the end of the input and never gets here.
  std::function<bool(const std::exception_ptr&)> recoverable = is_preemption;
  // Attempts within `window`; then the last error comes out. 0: never recover.
  int max_attempts = 10;
  std::chrono::nanoseconds window = std::chrono::hours(1);
  // Pause before attempt n: first_pause × 2^(n−1), at most max_pause, each ±25 % at random. A stop request
  // ends it.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds max_pause = std::chrono::seconds(30);
};

// One that was moved from can be destroyed or assigned to; every other call is Misuse, every question is
// answered with nothing. Threads: one thread drives the session; request_stop may be called from any thread.
class FERMATA_API MonitoredSession {
 public:
  struct Options {
    // Null: a ChiefSessionCreator with defaults.
    std::shared_ptr<SessionCreator> session_creator;
    std::vector<HookPtr> hooks;
    // The caller's requests, so that the graph is prepared for them before the session exists. They must live
    // as long as the session if it recovers.
    std::vector<const SessionRunArgs*> announce;
    // How long close waits for threads of the coordinator.
    std::chrono::nanoseconds stop_grace_period = std::chrono::seconds(120);
    RecoveryPolicy recovery;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
    // SIGINT and SIGTERM end the run after the step under way; a second one ends the process at once. The
    // handlers that were there come back at close.
    bool stop_on_signals = false;
    // A wish to stop of the program's own, which also ends the waits of the constructor and of a recovery.
    std::stop_token stop;
  };

  // begin of every hook, then the session, then after_create_session of every hook (contract MON-2).
  // Throws: what went wrong, Interrupted if a stop ended a wait; hooks that began have been told by finished,
  // and what was made is closed.
  explicit MonitoredSession(Graph& graph);
  MonitoredSession(Graph& graph, Options options);

  // An open session: close() with errors logged, or the failure end while an exception passes.
  ~MonitoredSession();
  MonitoredSession(MonitoredSession&&) noexcept;
  MonitoredSession& operator=(MonitoredSession&&) noexcept;

  // One step: hooks, one run of the engine with everything that was asked for, hooks. The view is valid until
  // the next run. A preemption is recovered and the step is made again. Throws: Misuse after a stop was
  // requested, after close, or while another run of this session is under way (a hook uses the raw session of
  // its context); the very error of a hook or of the engine otherwise.
  ResultsView run(const SessionRunArgs& args);

  // Calls `step_fn` with a StepContext& and returns what it returns. It may run the raw session and run with
  // hooks, never, once or often. A preemption from anywhere in it is recovered, and the function is called
  // again from its beginning. Throws: as run, and what the function throws.
  template <typename StepFn>
  auto run_step_fn(StepFn&& step_fn) {
    static_assert(std::is_invocable_v<StepFn&, StepContext&>,
                  "a step function takes exactly one parameter, a StepContext&");
    using Result = std::decay_t<std::invoke_result_t<StepFn&, StepContext&>>;
    if constexpr (std::is_void_v<Result>) {
      call_step_fn([&step_fn](StepContext& context) { step_fn(context); });
    } else {
      std::optional<Result> result;
      call_step_fn([&](StepContext& context) { result.emplace(step_fn(context)); });
      return Result(std::move(*result));
    }
  }

  // A run without hooks, still covered by recovery: evaluation, look-ups.
  ResultsView run_without_hooks(const SessionRunArgs& args);

  // True once a hook, a thread or the caller asked to stop, or after close. May recover a session (contract
  // MSTOP-2).
  [[nodiscard]] bool should_stop();

  // Ends the loop: should_stop answers true from now on. Threads: any.
  void request_stop(std::string message = {}, StopReason reason = StopReason::kRequested);

  // Python's with-block around a while loop: calls `body` until should_stop, takes the end of input, and a
  // wait that the stop interrupted, for a clean end, closes, and returns the verdict. Another error takes the
  // failure end (end is not called, finished is) and is thrown.
  StopVerdict run_until_stopped(const std::function<void()>& body);

  // The clean end: end of every hook, threads joined, session closed, finished of every hook. A second call
  // returns the same verdict. Throws: the first error of an end or a thread, after everything was closed.
  StopVerdict close();

  // The failure end: no hook's end is called. Returns the verdict, does not throw.
  StopVerdict abort(std::exception_ptr error);

  // The cause of the end; nothing while the session is open.
  [[nodiscard]] const std::optional<StopVerdict>& verdict() const noexcept;

  // The step after the last run, or the one the session started from. Nothing for a graph without a step.
  [[nodiscard]] std::optional<Step> step() const noexcept;
  // The step the first session started from.
  [[nodiscard]] std::optional<Step> start_step() const noexcept;
  [[nodiscard]] const std::string& restored_from() const noexcept;
  // Runs with hooks that succeeded, over all sessions.
  [[nodiscard]] std::int64_t runs() const noexcept;

  // Null after close.
  [[nodiscard]] Graph* graph() const noexcept;
  // The session inside; null after close. A recovery replaces it.
  [[nodiscard]] Session* raw_session() const noexcept;

 protected:
  // What becomes of an error that means "the other side went away".
  enum class Preemptions { kRecovered, kThrown };
  MonitoredSession(Graph& graph, Options options, Preemptions preemptions);

 private:
  void call_step_fn(const std::function<void(StepContext&)>& step_fn);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
