// The hot path: hooks around one run of the raw session. All that happens in each step is in this file, in
// the order in which it happens; what is rare is in hooked_session.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "fermata/session_run_hook.h"
#include "session/merged_request.h"
#include "session/named_hooks.h"

namespace fermata {

// Drives hooks around runs of one raw session (contract HOOK-14: it makes only the calls around a run). Plans
// are kept by the identities of the requests, so a step in which nobody changed anything compares a few
// numbers and allocates nothing. Threads: one at a time.
class HookedSession {
 public:
  // Wakes the hooks. Both must outlive it.
  HookedSession(Session& session, const std::vector<NamedHook>& hooks);
  ~HookedSession();

  // Throws what a hook or the run threw; then no stop request of this run counts (contract RUN-13).
  // The results stay until the next run.
  [[gnu::always_inline]] inline const ResultsView& run(const SessionRunArgs& args);
  const ResultsView& run_without_hooks(const SessionRunArgs& args);

  // The first stop that a hook requested in a run that succeeded.
  [[nodiscard]] const std::optional<StopRequest>& stop() const noexcept { return stop_; }
  // The step after the last run.
  [[nodiscard]] const std::optional<Step>& step() const noexcept { return values_.step_; }
  void set_step(std::optional<Step> step) noexcept { values_.step_ = step; }
  // What the contexts of the runs hand to the hooks.
  void set_stop_token(std::stop_token token) noexcept {
    stop_token_ = std::move(token);
    context_.stop_token_ = &stop_token_;
  }

 private:
  struct Plan {
    // Identity of each participant's request, 0 for none.
    std::vector<std::uint64_t> key;
    MergedRequest merged;
    // Whether a run needs more than the outputs.
    bool has_extras = false;
    std::unique_ptr<StepPlan> plan;
    std::unique_ptr<StepOutputs> outputs;
    // What each participant gets to see; the outputs stay where they are from run to run.
    std::vector<ResultsView> results;
  };
  using Plans = std::vector<std::unique_ptr<Plan>>;
  using Participants = std::span<const Participant>;

  // Without any hook nobody looks at a context.
  inline const ResultsView& run_alone(const SessionRunArgs& args);
  // The parts of a run, in their order.
  inline void open_context(const SessionRunArgs& args);
  inline void call_before_run(const SessionRunArgs& args);
  inline void execute(Plan& plan, const Participant* participants);
  inline void call_after_run();

  // Takes what a participant asks for.
  inline void take(Participant& participant, const SessionRunArgs* args);
  // Wakes the hooks that sleep until `step` or an earlier one.
  inline void wake_for(Step step);
  // For which step hooks are woken after the run.
  [[nodiscard]] inline Step reached_step();

  // Fills `awake_` with the hooks that do not sleep past `step`; the others ask for nothing.
  void choose_awake(Step step);
  void wake_sleepers(Step step);

  void check_feeds(const Participant& last) const;
  void choose_plan();
  [[nodiscard]] Plan& find_plan(Plans& plans, Participants participants);
  [[nodiscard]] Plan& make_plan(Plans& plans, Participants participants);
  void run_with_extras(Plan& plan, const Participant* participants);
  [[noreturn]] void fail_run();
  void keep_stop();

  // No hook sleeps past this step.
  static constexpr Step kEverybody = std::numeric_limits<Step>::max();
  // Before this step those are awake that never sleep.
  static constexpr Step kFirstStep = std::numeric_limits<Step>::min();

  Session& session_;
  const bool has_hooks_;
  // How far the last run with hooks went, at least 1.
  Step stride_ = 1;
  // The one for what is asked for now; null if it has to be looked for.
  Plan* plan_ = nullptr;
  // The hooks that are called, in their order, and the first step that another one is called for. A hook that
  // has just fallen asleep is still among them.
  std::vector<Participant*> awake_;
  Step next_wake_ = kEverybody;
  // The requests of the run under way: the caller first, then the hooks in their order.
  std::vector<Participant> participants_;
  // Filled anew for each run; `values_` keeps the step until then.
  SessionRunContext context_;
  SessionRunValues values_;

  std::optional<StopRequest> stop_;
  std::stop_token stop_token_;
  Plans plans_;
  Plans plans_without_hooks_;
  std::vector<const Tensor*> feed_values_;
  RunMetadata metadata_;
  const RunMetadata no_metadata_;
};

inline const ResultsView& HookedSession::run(const SessionRunArgs& args) {
  if (!has_hooks_) {
    return run_alone(args);
  }
  open_context(args);
  call_before_run(args);
  if (plan_ == nullptr) [[unlikely]] {
    choose_plan();
  }
  execute(*plan_, participants_.data());
  call_after_run();
  if (context_.stop_) [[unlikely]] {
    keep_stop();
  }
  return *participants_.front().results;
}

inline const ResultsView& HookedSession::run_alone(const SessionRunArgs& args) {
  take(participants_.front(), &args);
  if (plan_ == nullptr) [[unlikely]] {
    choose_plan();
  }
  execute(*plan_, participants_.data());
  return *participants_.front().results;
}

inline void HookedSession::open_context(const SessionRunArgs& args) {
  context_.original_args_ = &args;
  if (context_.stop_) [[unlikely]] {
    context_.stop_.reset();
  }
  if (!values_.step_) {
    context_.step_.reset();
    context_.expected_step_ = kEverybody;
    return;
  }
  // In two parts, as it was written: for a copy in one piece the processor would have to wait.
  context_.step_.emplace(*values_.step_);
  if (__builtin_add_overflow(*values_.step_, stride_, &context_.expected_step_)) [[unlikely]] {
    context_.expected_step_ = kEverybody;
  }
}

inline void HookedSession::call_before_run(const SessionRunArgs& args) {
  take(participants_.front(), &args);
  context_.asked_clock_ = nullptr;
  wake_for(context_.expected_step_);
  bool asleep = false;
  for (Participant* const participant : awake_) {
    if (context_.expected_step_ < participant->hook->wakes_at_) [[unlikely]] {
      asleep = true;
      take(*participant, nullptr);
      continue;
    }
    context_.current_name_ = participant->name;
    take(*participant, participant->hook->before_run(context_));
    if (plan_ == nullptr) [[unlikely]] {
      check_feeds(*participant);
    }
  }
  if (asleep) [[unlikely]] {
    choose_awake(context_.expected_step_);
  }
}

inline void HookedSession::wake_for(Step step) {
  if (step >= next_wake_) [[unlikely]] {
    wake_sleepers(step);
  }
}

inline void HookedSession::take(Participant& participant, const SessionRunArgs* args) {
  const std::uint64_t id = args == nullptr ? 0 : args->id();
  participant.args = args;
  if (participant.id != id) [[unlikely]] {
    participant.id = id;
    plan_ = nullptr;
  }
}

inline void HookedSession::execute(Plan& plan, const Participant* participants) {
  try {
    if (plan.has_extras) [[unlikely]] {
      run_with_extras(plan, participants);
    } else {
      plan.plan->run({}, nullptr, *plan.outputs, nullptr);
    }
  } catch (...) {
    fail_run();
  }
  session_.set_in_doubt(false);
  if (plan.outputs->step) {
    values_.step_.emplace(*plan.outputs->step);
  }
}

inline void HookedSession::call_after_run() {
  context_.asked_clock_ = nullptr;
  const Step reached = reached_step();
  wake_for(reached);
  for (Participant* const participant : awake_) {
    if (reached < participant->hook->wakes_at_) [[unlikely]] {
      continue;
    }
    context_.current_name_ = participant->name;
    values_.results_ = participant->results;
    participant->hook->after_run(context_, values_);
  }
}

// A hook that was called before the run is called after it too, however far the run went.
inline Step HookedSession::reached_step() {
  if (!context_.step_ || *values_.step_ <= *context_.step_) [[unlikely]] {
    stride_ = 1;
    return kEverybody;
  }
  // Overflow would take steps from both ends of the range.
  if (__builtin_sub_overflow(*values_.step_, *context_.step_, &stride_)) [[unlikely]] {
    stride_ = kEverybody;
  }
  return std::max(*values_.step_, context_.expected_step_);
}

}  // namespace fermata
