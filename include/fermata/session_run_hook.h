// The hook interface: what watches and steers a training loop.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/hook_state.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"
#include "fermata/stop_verdict.h"

namespace fermata {

class Coordinator;
class SessionRunContext;
class SessionRunValues;

// Results of a request, by the place of each fetch. A view: valid until the next run of the monitored
// session.
class FERMATA_API ResultsView {
 public:
  ResultsView() = default;
  ResultsView(const TensorView* values, std::span<const std::int32_t> places) noexcept
      : values_(values), places_(places) {}

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  // A view without value for an operation. Throws: Error kInvalidArgument for a place that is not there.
  [[nodiscard]] const TensorView& operator[](std::size_t place) const {
    return place < places_.size() && places_[place] >= 0 ? values_[places_[place]] : without_value(place);
  }
  template <typename T>
  [[nodiscard]] T scalar(std::size_t place) const {
    return (*this)[place].template scalar<T>();
  }

 private:
  [[nodiscard]] const TensorView& without_value(std::size_t place) const;

  const TensorView* values_ = nullptr;
  std::span<const std::int32_t> places_;
};

// A hook is told of five moments as in the reference, and of the end for good. All callbacks do nothing by
// default. One hook object serves one session at a time, and may serve another one afterwards. Threads: all
// callbacks come from the thread that drives the session.
class FERMATA_API SessionRunHook {
 public:
  virtual ~SessionRunHook();

  // A stable name, used in verdicts, manifests and messages. Default: the name of the class. Where two hooks
  // of a session have one name, the session calls the second "name#2".
  [[nodiscard]] virtual std::string name() const;

  // Once before the session is made; here alone the graph may be changed. A second begin on the same graph
  // changes nothing.
  virtual void begin(Graph& graph);

  // All requests that before_run may return, so that they are prepared before the first step; asked after
  // begin. One that is not listed works too, at the cost of preparing it in the middle of the run.
  [[nodiscard]] virtual std::vector<const SessionRunArgs*> announced() const;

  // For the first session and for each one made by recovery. The graph is final. `coordinator` may be null.
  // A stop requested from the coordinator here ends the loop before its first run.
  virtual void after_create_session(Session& session, Coordinator* coordinator);

  // Before each run. Returns what to add to it, null for nothing. The object must live until after_run;
  // returning the same object each step keeps the step free of cost.
  [[nodiscard]] virtual const SessionRunArgs* before_run(SessionRunContext& context);

  // After each run that succeeded.
  virtual void after_run(SessionRunContext& context, const SessionRunValues& values);

  // At a clean end, with the session still open; also at the end of input. Not after a failure.
  virtual void end(Session& session);

  // The last call, exactly once for each begin, however the run ended; the session is closed. An exception
  // from here is attached to the verdict as a later error.
  virtual void finished(const StopVerdict& verdict);

  // State that goes with a checkpoint. load_state comes after begin and before after_create_session.
  virtual void save_state(HookState& state) const;
  virtual void load_state(const HookState& state);

 protected:
  // For a hook that has nothing to do before a certain step. From now on the session leaves out its
  // before_run and after_run, which costs it a comparison of numbers instead of two calls:
  //   - before_run comes with the first run that is expected to lead to `step` or past it
  //     (SessionRunContext::expected_step),
  //   - after_run comes after such a run, after one that led there without being expected to, and after one
  //     that left the step where it was or moved it back.
  // From then on both come with each run, until the hook sleeps again. All other callbacks come in any case.
  //
  // A hook is awake unless it says otherwise, and each new session wakes it before after_create_session,
  // which is the place to fall asleep for the first time. In a graph without a step nobody sleeps. A hook
  // must stand to be called while it sleeps, since whoever drives it by hand may know nothing of this; and
  // one that waits for something other than a step (a time, a count of runs, another thread) must stay awake.
  // These are for after_create_session, before_run and after_run to call.
  void sleep_until(Step step) noexcept { wakes_at_ = step; }
  // For good, as far as this session goes.
  void sleep() noexcept { wakes_at_ = std::numeric_limits<Step>::max(); }
  void wake_up() noexcept { wakes_at_ = kAwake; }

 private:
  friend class HookedSession;
  static constexpr Step kAwake = std::numeric_limits<Step>::min();

  Step wakes_at_ = kAwake;
};

// What a hook sees of one run. Fresh for each run; before_run and after_run get the same object.
class FERMATA_API SessionRunContext {
 public:
  // The caller's request.
  [[nodiscard]] const SessionRunArgs& original_args() const noexcept { return *original_args_; }
  // The raw session; its runs call no hooks.
  [[nodiscard]] Session& session() const noexcept { return *session_; }
  // The step before the run. Nothing for a graph without a step.
  [[nodiscard]] std::optional<Step> step() const noexcept { return step_; }
  // The step this run will lead to if it goes as far as the run with hooks before it did; at least, and in
  // the first run of a session, one step ahead. Nothing for a graph without a step.
  [[nodiscard]] std::optional<Step> expected_step() const noexcept {
    return step_ ? std::optional<Step>(expected_step_) : std::nullopt;
  }

  // The time by `clock`, which is asked at most once before a run and once after it, however many hooks want
  // to know.
  [[nodiscard]] Clock::TimePoint now(const Clock& clock) {
    if (asked_clock_ != &clock) {
      asked_clock_ = &clock;
      now_ = clock.now();
    }
    return now_;
  }

  // Requested when the loop is to end for a cause outside of it: its caller, a thread of the coordinator. For
  // waits inside of a hook, which then throw Interrupted. A signal shows in StopOnSignal only.
  [[nodiscard]] std::stop_token stop_token() const noexcept {
    return stop_token_ == nullptr ? std::stop_token() : *stop_token_;
  }

  [[nodiscard]] bool stop_requested() const noexcept { return stop_.has_value(); }
  // Ends the loop after this run, which still happens, as do all after_run. The first request is kept.
  void request_stop(std::string_view message = {}, StopReason reason = StopReason::kRequested);

 private:
  friend class HookedSession;
  friend struct SessionRunContextAccess;
  const SessionRunArgs* original_args_ = nullptr;
  Session* session_ = nullptr;
  std::optional<Step> step_;
  Step expected_step_ = 0;
  // Whose time `now_` is; null if nobody has asked yet.
  const Clock* asked_clock_ = nullptr;
  Clock::TimePoint now_;
  std::optional<StopRequest> stop_;
  const std::stop_token* stop_token_ = nullptr;
  std::string_view current_name_;
};

// What a hook gets of a run that succeeded.
class FERMATA_API SessionRunValues {
 public:
  // For this hook's request. Empty if it made none.
  [[nodiscard]] const ResultsView& results() const noexcept { return *results_; }
  // The step after the run, exact, from the run itself. Nothing for a graph without a step.
  [[nodiscard]] std::optional<Step> step() const noexcept { return step_; }
  // The merged options that were used.
  [[nodiscard]] const RunOptions& options() const noexcept { return *options_; }
  // Filled if the merged options asked for a trace or partition graphs.
  [[nodiscard]] const RunMetadata& run_metadata() const noexcept { return *run_metadata_; }

 private:
  friend class HookedSession;
  friend struct SessionRunContextAccess;
  const ResultsView* results_ = nullptr;
  std::optional<Step> step_;
  const RunOptions* options_ = nullptr;
  const RunMetadata* run_metadata_ = nullptr;
};

using HookPtr = std::shared_ptr<SessionRunHook>;

// make_hook<StopAtStepHook>({.last_step = 10'000}): braces reach the hook's Options.
template <typename Hook>
[[nodiscard]] std::shared_ptr<Hook> make_hook(typename Hook::Options options = {}) {
  return std::make_shared<Hook>(std::move(options));
}

}  // namespace fermata
