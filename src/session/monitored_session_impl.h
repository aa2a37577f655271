// What a monitored session is made of.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "coordination/interruptible_wait.h"
#include "core/log_made.h"
#include "fermata/error.h"
#include "fermata/monitored_session.h"
#include "fermata/stop_on_signal.h"
#include "session/announced_plans.h"
#include "session/live_session.h"
#include "session/recovery_attempts.h"
#include "session/session_end.h"
#include "session/stop_causes.h"
#include "session/under_way.h"

namespace fermata {

// Three parts: coming to life and back to life, the loop, the way out. `live` is null before the first
// session, after a recovery that failed, and after the end; `verdict` is set by the end and by nothing else.
struct MonitoredSession::Impl {
  // What the next run goes through; null where something has to be seen to first: there is no session, it is
  // closed, or a hook has ended the loop. So a step in which all is well asks one question instead of three.
  HookedSession* ready = nullptr;
  Options options;
  const bool recovers;
  Graph& graph;
  std::vector<NamedHook> hooks;
  const bool graph_was_final;
  const int exceptions_at_start = std::uncaught_exceptions();
  std::size_t begun = 0;
  std::unique_ptr<StopOnSignal> signals;
  RecoveryAttempts attempts;
  std::unique_ptr<LiveSession> live;
  StopCauses causes;
  std::stop_callback<std::function<void()>> from_program;
  std::atomic<bool> run_under_way{false};
  // Set by a hook, or because the target had been reached before the first run: no run may follow.
  bool runs_are_over = false;
  // Of the last run, if it failed.
  std::exception_ptr run_error;
  std::optional<StopVerdict> verdict;
  std::optional<Step> step;
  std::optional<Step> start_step;
  std::string restored_from;
  std::vector<std::string> notes;
  std::int64_t runs = 0;

  Impl(Graph& g, Options o, Preemptions preemptions)
      : options(with_clock(std::move(o))),
        recovers(preemptions == Preemptions::kRecovered),
        graph(g),
        hooks(name_hooks(options.hooks)),
        graph_was_final(g.finalized()),
        attempts(options.recovery, options.clock),
        from_program(options.stop, [this] { stop_for_program(); }) {
    if (!options.session_creator) {
      options.session_creator = std::make_shared<ChiefSessionCreator>(graph);
    }
  }

  static Options with_clock(Options options) {
    if (!options.clock) {
      options.clock = Clock::system();
    }
    return options;
  }

  // Nothing may leave a callback of a stop token, and a stop without words is better than none.
  void stop_for_program() noexcept {
    try {
      causes.outside().request({StopReason::kRequested, "caller", "the program requested a stop", 0});
    } catch (...) {
      causes.outside().request({});
    }
  }

  // --- coming to life and back to life
  // ------------------------------------------------------------------------------

  void start() {
    if (options.stop_on_signals) {
      signals = std::make_unique<StopOnSignal>();
    }
    try {
      for (const NamedHook& hook : hooks) {
        hook.hook->begin(graph);
        ++begun;
      }
      make_live();
    } catch (...) {
      ErrorList errors;
      if (!is_wanted_end(std::current_exception())) {
        errors.add(std::current_exception());
      }
      shut_live(errors);
      settle(errors);
      throw;
    }
    start_step = step;
  }

  // Whether this is a wait that ended because somebody wants the end; then it is no failure.
  [[nodiscard]] bool is_wanted_end(const std::exception_ptr& error) noexcept {
    if (!is_interrupted(error)) {
      return false;
    }
    ErrorList ignored;
    ignored.guard([this] { look_for_causes(); });
    return causes.any();
  }

  [[nodiscard]] bool is_loss(const std::exception_ptr& error) const {
    return error && !is_end_of_input(error) && options.recovery.recoverable &&
           options.recovery.recoverable(error);
  }

  void look_for_causes() { causes.look(live ? &live->coordinator() : nullptr, signals != nullptr); }

  // The last step that is known: of the session as long as there is one.
  [[nodiscard]] std::optional<Step> current_step() const noexcept {
    const bool known = live && live->hooked().step();
    return known ? live->hooked().step() : step;
  }

  // To be called before the session goes.
  void keep_step() noexcept { step = current_step(); }

  // Tries until it succeeds, or the policy allows no more.
  void make_live() {
    while (!live) {
      try {
        live = std::make_unique<LiveSession>(
            *options.session_creator,
            CreationRequest{.announced = [this] { return announced_plans(graph, options.announce, hooks); },
                            .stop = causes.outside().token()},
            hooks, options.stop_grace_period);
      } catch (...) {
        const std::exception_ptr error = std::current_exception();
        pause_before_attempt(count_attempt(error, "could not be made"), error);
      }
    }
    step = live->hooked().step();
    restored_from = live->restored_from();
    notes.insert(notes.end(), live->notes().begin(), live->notes().end());
    // A hook that was told of the session may have asked, with words, to end the loop.
    if (const std::optional<StopRequest> request = live->coordinator().stop_request()) {
      causes.note(*request);
      runs_are_over = runs_are_over || request->reason == StopReason::kAlreadyAtTarget;
    }
    ready = runs_are_over ? nullptr : &live->hooked();
  }

  // Counts an attempt to make a new session and returns the pause before it; throws the error if none may be
  // made. `what` happened to the session shows in the log.
  [[nodiscard]] std::chrono::nanoseconds count_attempt(const std::exception_ptr& error, const char* what) {
    const auto pause = recovers && is_loss(error) ? attempts.next() : std::nullopt;
    if (!pause) {
      std::rethrow_exception(error);
    }
    log_made(LogLevel::kWarning, [&] {
      return fmt::format("the session {} ({}); attempt {} of {} to make a new one, in {:.2f} s", what,
                         describe(error), attempts.count(), options.recovery.max_attempts,
                         std::chrono::duration<double>(*pause).count());
    });
    return *pause;
  }

  // Throws the error if a stop is requested meanwhile.
  void pause_before_attempt(std::chrono::nanoseconds pause, const std::exception_ptr& error) {
    if (interruptible_wait(*options.clock, pause, causes.outside().token())) {
      std::rethrow_exception(error);
    }
  }

  // Replaces the session after a preemption. Throws what cannot be recovered; then no session is there,
  // unless no attempt was left.
  void recover(const std::exception_ptr& error, const char* what) {
    keep_step();
    const std::optional<Step> before = step;
    const std::chrono::nanoseconds pause = count_attempt(error, what);
    ready = nullptr;
    const std::unique_ptr<LiveSession> lost = std::move(live);
    ErrorList errors;
    lost->shut(errors, options.stop_grace_period, options.recovery.recoverable);
    if (errors.first()) {
      std::rethrow_exception(errors.first());
    }
    pause_before_attempt(pause, error);
    make_live();
    notes.push_back(recovery_note(restored_from, before, step));
    log(LogLevel::kWarning, notes.back());
  }

  // --- the loop
  // -----------------------------------------------------------------------------------------------------

  // The way of every step, together with HookedSession::run. What is rare is in functions of its own.
  [[gnu::always_inline]] const ResultsView& run(const SessionRunArgs& args) {
    const UnderWay under_way(run_under_way);
    if (ready == nullptr) [[unlikely]] {
      require_open("run");
      require_runs();
      make_live_again();
    }
    for (;;) {
      const ResultsView* results = nullptr;
      try {
        results = &live->hooked().run(args);
      } catch (...) {
        recover_from_run();
        continue;
      }
      forget_run_error();
      count_run();
      return *results;
    }
  }

  const ResultsView& run_without_hooks(const SessionRunArgs& args) {
    const UnderWay under_way(run_under_way);
    require_open("run_without_hooks");
    make_live_again();
    for (;;) {
      try {
        const ResultsView& results = live->hooked().run_without_hooks(args);
        forget_run_error();
        return results;
      } catch (...) {
        recover_from_run();
      }
    }
  }

  // Errors of the function's own runs of the raw session are what they are (contract STEP-8).
  void call_step_fn(const std::function<void(StepContext&)>& step_fn) {
    require_open("run_step_fn");
    make_live_again();
    for (;;) {
      try {
        StepContext context(
            live->session(), [this](const SessionRunArgs& args) { return run_in_step_fn(args); },
            [this](std::string message) {
              causes.outside().request({StopReason::kRequested, "step function", std::move(message), 0});
              look_for_causes();
            });
        step_fn(context);
        forget_run_error();
        return;
      } catch (...) {
        recover_from_current();
      }
    }
  }

  const ResultsView& run_in_step_fn(const SessionRunArgs& args) {
    const UnderWay under_way(run_under_way);
    require_runs();
    try {
      const ResultsView& results = live->hooked().run(args);
      count_run();
      return results;
    } catch (...) {
      throw_what_happened();
    }
  }

  // Of a run with hooks that succeeded.
  void count_run() {
    ++runs;
    if (live->hooked().stop()) [[unlikely]] {
      runs_are_over = true;
      ready = nullptr;
      causes.note(*live->hooked().stop());
    }
  }

  void forget_run_error() noexcept {
    if (run_error) [[unlikely]] {
      run_error = nullptr;
    }
  }

  // Makes the session anew, or throws the exception that is being handled if it is no loss of the session.
  void recover_from_current() {
    run_error = std::current_exception();
    if (!is_loss(run_error)) {
      throw;
    }
    recover(run_error, "was lost in a run");
  }

  // The same for the failure of a single run.
  [[gnu::noinline]] void recover_from_run() {
    try {
      throw_what_happened();
    } catch (...) {
      recover_from_current();
    }
  }

  // A thread that lost the other side tells the truth about a run that merely failed (contract RUN-14).
  [[noreturn]] void throw_what_happened() {
    const std::exception_ptr of_thread = live->coordinator().error();
    if (is_loss(of_thread) && !is_loss(std::current_exception())) {
      std::rethrow_exception(of_thread);
    }
    throw;
  }

  // After a recovery that failed, a further run tries once more (contract MSTOP-7).
  void make_live_again() {
    if (!live) {
      make_live();
    }
  }

  void require_open(const char* call) const {
    if (verdict) {
      throw Misuse(
          fmt::format("MonitoredSession::{} was called on a session that is closed; make a new one", call));
    }
  }

  void require_runs() const {
    if (runs_are_over) {
      throw Misuse(
          "MonitoredSession::run was called after should_stop requested the end; ask should_stop before each "
          "run");
    }
  }

  bool should_stop() {
    const bool quiet = ready != nullptr && !live->coordinator().should_stop() &&
                       !causes.outside().requested() && !(signals && StopOnSignal::received() != 0);
    return quiet ? false : should_stop_after_all();
  }

  // Somebody may want the end, or a new session is needed.
  bool should_stop_after_all() {
    if (!verdict && live && !recovers) {
      live->coordinator().raise_requested_exception();
    }
    if (verdict || runs_are_over || !live) {
      return true;
    }
    Coordinator& coordinator = live->coordinator();
    if (coordinator.should_stop() && is_loss(coordinator.error())) {
      recover(coordinator.error(), "was lost, as one of its threads says");
      return runs_are_over;
    }
    const bool stop = causes.outside().requested() || coordinator.should_stop() ||
                      (signals && StopOnSignal::received() != 0);
    if (stop) {
      look_for_causes();
    }
    return stop;
  }

  // --- the way out
  // --------------------------------------------------------------------------------------------------

  // Where there is no memory to say so, the end is a failure.
  void note_end_of_input(const std::exception_ptr& error) {
    try {
      causes.note({StopReason::kEndOfInput, error == run_error ? "engine" : "caller", describe(error), 0});
    } catch (...) {
      abort(std::current_exception());
      throw;
    }
  }

  StopVerdict close() {
    if (verdict) {
      return *verdict;
    }
    UnderWay::refuse(run_under_way);
    ErrorList ends;
    ends.guard([this] { look_for_causes(); });
    if (live) {
      for (const NamedHook& hook : hooks) {
        ends.guard([&] { hook.hook->end(live->session()); });
      }
    }
    // An error of a thread is older than those of the ends, so it is the one that comes out.
    ErrorList errors;
    shut_live(errors);
    if (ends.first()) {
      errors.add(ends.first());
    }
    for (const std::string& later : ends.later()) {
      errors.add_later([&] { return later; });
    }
    settle(errors);
    if (errors.first()) {
      std::rethrow_exception(errors.first());
    }
    return *verdict;
  }

  static std::exception_ptr error_of_unwinding() noexcept {
    try {
      throw Error(Code::kUnknown, "an exception passed while the session was open", ErrorSource::kCaller);
    } catch (...) {
      return std::current_exception();
    }
  }

  StopVerdict abort(std::exception_ptr error) noexcept {
    if (verdict) {
      return copy_of_verdict();
    }
    ErrorList errors;
    if (!error) {
      error = error_of_unwinding();
    }
    // A thread that had failed before is the cause; what failed in the loop came after it.
    const bool thread_failed = live && live->coordinator().error();
    if (!thread_failed) {
      errors.add(error);
    }
    shut_live(errors);
    if (thread_failed) {
      errors.add(error);
    }
    settle(errors);
    return copy_of_verdict();
  }

  // The essence, where there is no memory for the words.
  [[nodiscard]] StopVerdict copy_of_verdict() const noexcept {
    try {
      return *verdict;
    } catch (...) {
      return {.reason = verdict->reason,
              .step = verdict->step,
              .signal = verdict->signal,
              .error = verdict->error};
    }
  }

  void shut_live(ErrorList& errors) noexcept {
    if (live) {
      live->shut(errors, options.stop_grace_period, recovers ? options.recovery.recoverable : nullptr);
    }
  }

  // Makes the verdict, tells every hook that began, and lets go of everything. The closed session lives until
  // all hooks were told, since a hook may hold a pointer to it.
  void settle(const ErrorList& errors) noexcept {
    keep_step();
    try {
      verdict = make_verdict(causes.first(run_error), errors, run_error);
      verdict->restored_from = restored_from;
      verdict->notes = notes;
    } catch (...) {
      verdict = short_verdict(causes.first_without_words(run_error), errors, run_error);
    }
    verdict->step = step;
    ready = nullptr;
    tell_finished(std::span(hooks).first(begun), *verdict);
    live.reset();
    if (!graph_was_final) {
      graph.unfinalize();
    }
    signals.reset();
  }
};

}  // namespace fermata
