// For the tests of what users of monitored loops ran into: a loop whose step moves as a test says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/native.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/recording_hook.h"
#include "tests/support/temp_folder.h"

namespace fermata::reports {

using testkit::Callback;
using testkit::CallbackArguments;
using testkit::RecordingHook;

// Each call of `train` adds what `increment` says to the step. `w` counts the calls that succeeded.
class ReportsTest : public testing::Test {
 protected:
  ReportsTest() {
    graph_.variable("global_step", native::view(step_));
    graph_.variable("w", native::view(w_));
    train_ = graph_.step("train", {.outputs = {"loss"}}, [this](native::StepOutputs& out) {
      ++calls_;
      if (fault_) {
        fault_(calls_);
      }
      step_ += increment_ ? increment_(calls_) : 1;
      w_ += 1;
      out.set("loss", loss_ ? loss_(calls_) : 0.5F);
    });
    look_ = graph_.operation("look", {}, [this](native::StepOutputs&) { ++looks_; });
    args_ = SessionRunArgs({train_, train_.output("loss")});
  }

  // What a run that starts at `step` finds.
  void start_at(Step step) {
    init_ = [this, step](Scaffold&, Session&) { step_ = step; };
  }

  MonitoredSession::Options options(std::vector<HookPtr> hooks, const std::string& dir = {}) {
    auto creator = std::make_shared<ChiefSessionCreator>(
        graph_, ChiefSessionCreator::Options{
                    .scaffold = std::make_shared<Scaffold>(Scaffold::Options{.init_fn = init_}),
                    .checkpoint_dir = dir});
    return {.session_creator = std::move(creator),
            .hooks = std::move(hooks),
            .recovery = {.max_attempts = 3,
                         .first_pause = std::chrono::seconds(1),
                         .max_pause = std::chrono::hours(1)},
            .clock = clock_};
  }
  MonitoredSession session(std::vector<HookPtr> hooks, const std::string& dir = {}) {
    return MonitoredSession(graph_, options(std::move(hooks), dir));
  }

  StopVerdict train(MonitoredSession& loop) {
    return loop.run_until_stopped([&] { loop.run(args_); });
  }
  StopVerdict train(std::vector<HookPtr> hooks, const std::string& dir = {}) {
    MonitoredSession loop = session(std::move(hooks), dir);
    return train(loop);
  }

  std::shared_ptr<CheckpointSaverHook> saver(Step every, const std::string& dir) {
    return make_hook<CheckpointSaverHook>({.checkpoint_dir = dir, .save_steps = every, .clock = clock_});
  }
  static HookPtr until(Step last_step) { return make_hook<StopAtStepHook>({.last_step = last_step}); }
  std::shared_ptr<RecordingHook> hook(const std::string& name) {
    return std::make_shared<RecordingHook>(RecordingHook::Options{.name = name, .trace = trace_});
  }

  // Steps of all checkpoints in a folder.
  static std::vector<Step> saved(const std::string& dir) {
    std::vector<Step> steps;
    for (const CheckpointListing& found : list_checkpoints(dir)) {
      steps.push_back(found.step.value_or(-1));
    }
    return steps;
  }
  static std::vector<Step> steps_of(const std::vector<std::string>& prefixes) {
    std::vector<Step> steps;
    for (const std::string& prefix : prefixes) {
      steps.push_back(step_of_checkpoint(prefix).value_or(-1));
    }
    return steps;
  }

  // Fails the given calls with `code`.
  void fail_calls(std::vector<int> calls, Code code) {
    fault_ = [calls = std::move(calls), code](int call) {
      if (std::find(calls.begin(), calls.end(), call) != calls.end()) {
        throw Error(code, "scripted", ErrorSource::kEngine);
      }
    };
  }

  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  }

  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  testkit::TracePtr trace_ = std::make_shared<testkit::Trace>();
  TempFolder folder_;
  native::Graph graph_{native::Graph::Options{.global_step = false}};
  std::int64_t step_ = 0;
  float w_ = 0;
  int calls_ = 0;
  std::atomic<int> looks_ = 0;
  std::function<Step(int call)> increment_;
  std::function<void(int call)> fault_;
  std::function<float(int call)> loss_;
  Scaffold::InitFn init_;
  Operation train_;
  Operation look_;
  SessionRunArgs args_;
};

}  // namespace fermata::reports
