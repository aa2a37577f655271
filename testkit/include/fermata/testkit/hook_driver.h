// Drives one hook by hand, without a loop and without an engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/session_run_hook.h"

namespace fermata {

// Fills what a session fills: the context and the values of a run.
struct SessionRunContextAccess {
  static void set_run(SessionRunContext& context, const SessionRunArgs& args, Session* session,
                      std::optional<Step> step, std::string_view hook_name) {
    context.original_args_ = &args;
    context.session_ = session;
    context.step_ = step;
    context.current_name_ = hook_name;
  }
  static void set_expected_step(SessionRunContext& context, Step step) { context.expected_step_ = step; }
  // The clock is asked anew.
  static void forget_time(SessionRunContext& context) { context.asked_clock_ = nullptr; }
  static void set_stop_token(SessionRunContext& context, const std::stop_token& token) {
    context.stop_token_ = &token;
  }
  static const std::optional<StopRequest>& stop(const SessionRunContext& context) { return context.stop_; }

  // All that is given must outlive `values`.
  static void set_values(SessionRunValues& values, const ResultsView& results, std::optional<Step> step,
                         const RunOptions& options, const RunMetadata& metadata) {
    values.results_ = &results;
    values.step_ = step;
    values.options_ = &options;
    values.run_metadata_ = &metadata;
  }
};

}  // namespace fermata

namespace fermata::testkit {

// One run as a test tells it.
struct DrivenRun {
  std::optional<Step> before = {};
  std::optional<Step> after = {};
  // Answers the hook's request: one value for each fetch, an empty Tensor for an operation. Asked only if the
  // hook made a request; absent: the hook must make none or one without fetches.
  std::function<std::vector<Tensor>(const SessionRunArgs& request)> results = {};
  // Happens between before_run and after_run: the clock may move.
  std::function<void()> during = {};
};

// What the hook made of it.
struct DrivenOutcome {
  // What before_run returned.
  const SessionRunArgs* request = nullptr;
  std::optional<StopRequest> stop = {};
};

// Calls before_run and after_run with a step and with results that the test gives, also while the hook
// sleeps: begin, after_create_session, end and finished are the test's business. A session is needed only for
// hooks that use context.session().
class HookDriver {
 public:
  explicit HookDriver(SessionRunHook& hook, Session* session = nullptr)
      : hook_(hook), session_(session), name_(hook.name()) {}

  DrivenOutcome run(const DrivenRun& run) {
    SessionRunContext context;
    SessionRunContextAccess::set_run(context, args_, session_, run.before, name_);
    SessionRunContextAccess::set_expected_step(context, run.before.value_or(0) + stride_);
    SessionRunContextAccess::set_stop_token(context, stop_token_);
    DrivenOutcome outcome;
    outcome.request = hook_.before_run(context);
    if (run.during) {
      run.during();
    }
    SessionRunContextAccess::forget_time(context);
    if (run.before && run.after) {
      stride_ = std::max<Step>(1, *run.after - *run.before);
    }
    const std::vector<Tensor> results =
        outcome.request != nullptr && run.results ? run.results(*outcome.request) : std::vector<Tensor>();
    call_after_run(context, results, run.after);
    outcome.stop = SessionRunContextAccess::stop(context);
    return outcome;
  }

  // What before_run sees as the context's stop_token from now on.
  void set_stop_token(std::stop_token token) { stop_token_ = std::move(token); }

  // A run from one step to the next.
  DrivenOutcome run(Step before, Step after) { return run({.before = before, .after = after}); }

 private:
  void call_after_run(SessionRunContext& context, const std::vector<Tensor>& results,
                      std::optional<Step> step) {
    std::vector<TensorView> views;
    std::vector<std::int32_t> places;
    for (const Tensor& result : results) {
      places.push_back(result.has_value() ? static_cast<std::int32_t>(views.size()) : -1);
      views.push_back(result.view());
    }
    SessionRunValues values;
    const ResultsView shown(views.data(), places);
    SessionRunContextAccess::set_values(values, shown, step, options_, metadata_);
    hook_.after_run(context, values);
  }

  SessionRunHook& hook_;
  Session* session_;
  std::string name_;
  Step stride_ = 1;
  SessionRunArgs args_;
  std::stop_token stop_token_;
  RunOptions options_;
  RunMetadata metadata_;
};

}  // namespace fermata::testkit
