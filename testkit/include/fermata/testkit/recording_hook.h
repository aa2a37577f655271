// A hook that writes down its callbacks, and does in them what a test wants.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/session_run_hook.h"
#include "fermata/testkit/trace.h"

namespace fermata::testkit {

// The callbacks of a hook.
enum class Callback { kBegin, kAfterCreateSession, kBeforeRun, kAfterRun, kEnd, kFinished };

// What a callback was given; null for what it does not get. Of kBegin only the graph is there.
struct CallbackArguments {
  Graph* graph = nullptr;
  Session* session = nullptr;
  Coordinator* coordinator = nullptr;
  SessionRunContext* context = nullptr;
  const SessionRunValues* values = nullptr;
  const StopVerdict* verdict = nullptr;
};

// Lines: "h1.begin", "h1.after_create_session", "h1.before_run step=0", "h1.after_run step=1 results=[0.5]",
// "h1.end", "h1.finished target_reached step=1". A part that is not there (a graph without a step, a hook
// without fetches) is left out; the result of an operation is "none".
class RecordingHook : public SessionRunHook {
 public:
  struct Options {
    std::string name = "hook";
    // Null: the hook has a trace of its own.
    TracePtr trace = {};
    // Requested in every run, and listed in announced().
    std::optional<SessionRunArgs> request = {};
    // Goes with checkpoints. What comes back replaces it and is recorded: "h1.load_state count=3".
    std::optional<HookState> state = {};
  };
  using Action = std::function<void(const CallbackArguments&)>;

  explicit RecordingHook(Options options) : options_(std::move(options)) {
    if (!options_.trace) {
      options_.trace = std::make_shared<Trace>();
    }
  }

  // Does `action` in the given call of a callback, counted from 1; 0: in every call. The line is written
  // before the action. Returns the hook, so that several can be chained.
  RecordingHook& at(Callback callback, std::size_t call, Action action) {
    actions_.push_back({callback, call, std::move(action)});
    return *this;
  }
  RecordingHook& at(Callback callback, Action action) { return at(callback, 0, std::move(action)); }

  [[nodiscard]] const TracePtr& trace() const noexcept { return options_.trace; }
  [[nodiscard]] std::size_t calls(Callback callback) const { return calls_[index(callback)]; }
  [[nodiscard]] const std::optional<HookState>& state() const noexcept { return options_.state; }

  [[nodiscard]] std::string name() const override { return options_.name; }
  void begin(Graph& graph) override { note(Callback::kBegin, "begin", {.graph = &graph}); }
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override {
    return options_.request ? std::vector<const SessionRunArgs*>{&*options_.request}
                            : std::vector<const SessionRunArgs*>{};
  }
  void after_create_session(Session& session, Coordinator* coordinator) override {
    note(Callback::kAfterCreateSession, "after_create_session",
         {.graph = &session.graph(), .session = &session, .coordinator = coordinator});
  }
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override {
    note(Callback::kBeforeRun, "before_run" + step_text(context.step()),
         {.session = &context.session(), .context = &context});
    return options_.request ? &*options_.request : nullptr;
  }
  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    note(Callback::kAfterRun, "after_run" + step_text(values.step()) + results_text(values.results()),
         {.session = &context.session(), .context = &context, .values = &values});
  }
  void end(Session& session) override { note(Callback::kEnd, "end", {.session = &session}); }
  void finished(const StopVerdict& verdict) override {
    note(Callback::kFinished,
         "finished " + std::string(stop_reason_name(verdict.reason)) + step_text(verdict.step),
         {.verdict = &verdict});
  }

  void save_state(HookState& state) const override {
    if (options_.state) {
      state = *options_.state;
    }
  }
  void load_state(const HookState& state) override {
    std::string line = options_.name + ".load_state";
    for (const auto& [key, value] : state.values()) {
      line += " " + key + "=" + value_text(value);
    }
    options_.trace->add(std::move(line));
    options_.state = state;
  }

 private:
  struct Scripted {
    Callback callback;
    std::size_t call;
    Action action;
  };

  static std::size_t index(Callback callback) { return static_cast<std::size_t>(callback); }

  void note(Callback callback, const std::string& what, const CallbackArguments& arguments) {
    options_.trace->add(options_.name + "." + what);
    const std::size_t call = ++calls_[index(callback)];
    for (const Scripted& scripted : actions_) {
      if (scripted.callback == callback && (scripted.call == 0 || scripted.call == call)) {
        scripted.action(arguments);
      }
    }
  }

  static std::string step_text(std::optional<Step> step) {
    return step ? " step=" + std::to_string(*step) : std::string();
  }
  std::string results_text(const ResultsView& results) const {
    if (!options_.request || options_.request->fetches().empty()) {
      return {};
    }
    std::string text;
    for (std::size_t place = 0; place < results.size(); ++place) {
      const TensorView& value = results[place];
      text += (place == 0 ? "" : ", ") + (value.has_value() ? to_text(value) : "none");
    }
    return " results=[" + text + "]";
  }
  static std::string value_text(const HookState::Value& value) {
    return std::visit(
        [](const auto& held) {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
            return held;
          } else {
            return to_text(Tensor::scalar(held).view());
          }
        },
        value);
  }

  Options options_;
  std::vector<Scripted> actions_;
  std::array<std::size_t, 6> calls_{};
};

}  // namespace fermata::testkit
