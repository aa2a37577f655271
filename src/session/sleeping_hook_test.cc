// Hooks that sleep until a step.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/testkit/manual_clock.h"
#include "session/loop_fixture.h"

namespace fermata {
namespace {

// Notes each call with the step before the run ("b3") or after it ("a4").
class Sleeper : public SessionRunHook {
 public:
  using SessionRunHook::sleep;
  using SessionRunHook::sleep_until;
  using SessionRunHook::wake_up;

  // Called at the end of each callback of that kind.
  std::function<void()> on_create, on_before, on_after;
  const SessionRunArgs* request = nullptr;

  void after_create_session(Session& /*session*/, Coordinator* /*coordinator*/) override { call(on_create); }
  const SessionRunArgs* before_run(SessionRunContext& context) override {
    calls_ += "b" + std::to_string(context.step().value_or(-1)) + " ";
    call(on_before);
    return request;
  }
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    calls_ += "a" + std::to_string(values.step().value_or(-1)) + " ";
    call(on_after);
  }
  void end(Session& /*session*/) override { calls_ += "end "; }
  void finished(const StopVerdict& /*verdict*/) override { calls_ += "finished "; }

  // Since the last call of this.
  std::string calls() { return std::exchange(calls_, {}); }

 private:
  static void call(const std::function<void()>& function) {
    if (function) {
      function();
    }
  }
  std::string calls_;
};

class SleepingHookTest : public LoopTest {
 protected:
  SleepingHookTest() {
    fault_ = [this](int) { graph_.set_global_step(from_ + extra_); };
  }

  // Runs a step that goes as far as each of `increments` says.
  std::string go(MonitoredSession& loop, const std::vector<Step>& increments) {
    for (const Step increment : increments) {
      // What the step adds by itself is 1.
      extra_ = increment - 1;
      from_ = loop.step().value_or(0);
      loop.run(args_);
    }
    return hook_->calls();
  }

  std::shared_ptr<Sleeper> hook_ = std::make_shared<Sleeper>();
  Step from_ = 0;
  Step extra_ = 0;
};

TEST_F(SleepingHookTest, AnAwakeHookIsCalledAroundEachRun) {
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {1, 1}), "b0 a1 b1 a2 ");
}

TEST_F(SleepingHookTest, OneThatSleepsIsCalledFromItsStepOn) {
  hook_->on_create = [this] { hook_->sleep_until(3); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {1, 1}), "");
  EXPECT_EQ(go(loop, {1, 1}), "b2 a3 b3 a4 ");
}

TEST_F(SleepingHookTest, SleepsAgainFromAfterRun) {
  Step next = 4;
  hook_->on_after = [&] { hook_->sleep_until(std::exchange(next, next + 2)); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {1, 1, 1, 1, 1, 1}), "b0 a1 b3 a4 b5 a6 ");
}

TEST_F(SleepingHookTest, TheRunBeforeSaysHowFarOneIsExpectedToGo) {
  hook_->on_create = [this] { hook_->sleep_until(10); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {5}), "");
  EXPECT_EQ(go(loop, {5}), "b5 a10 ");
}

TEST_F(SleepingHookTest, ARunThatGoesFurtherThanExpectedHasAnAfterRunOnly) {
  hook_->on_create = [this] { hook_->sleep_until(10); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {12}), "a12 ");
}

TEST_F(SleepingHookTest, ARunThatGoesLessFarThanExpectedHasBoth) {
  hook_->on_create = [this] { hook_->sleep_until(10); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {6, 1}), "b6 a7 ");
}

TEST_F(SleepingHookTest, ARunThatMovesTheStepNotForwardHasAnAfterRun) {
  hook_->on_create = [this] { hook_->sleep_until(10); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {2, 0, -1, 1}), "a2 a1 ");
}

TEST_F(SleepingHookTest, SleepTakesEffectAtOnce) {
  hook_->on_before = [this] { hook_->sleep(); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {1, 1}), "b0 ");
}

TEST_F(SleepingHookTest, WhatASleeperAskedForIsNotFetched) {
  int fetched = 0;
  const SessionRunArgs request({graph_.value("probe", {}, [&](native::Inputs) { return ++fetched; })});
  hook_->request = &request;
  hook_->on_after = [this] { hook_->sleep_until(4); };
  MonitoredSession loop = session({hook_});
  EXPECT_EQ(go(loop, {1, 1, 1, 1}), "b0 a1 b3 a4 ");
  EXPECT_EQ(fetched, 2);
}

TEST_F(SleepingHookTest, IsStillToldOfTheEnd) {
  hook_->on_create = [this] { hook_->sleep(); };
  MonitoredSession loop = session({hook_});
  go(loop, {1});
  loop.close();
  EXPECT_EQ(hook_->calls(), "end finished ");
}

TEST_F(SleepingHookTest, ANewSessionWakesIt) {
  MonitoredSession loop = session({hook_});
  go(loop, {1});
  hook_->sleep();
  const auto go_on = fault_;
  fault_ = [&, lost = false](int call) mutable {
    go_on(call);
    if (!std::exchange(lost, true)) {
      throw Error(Code::kAborted, "the other side went away");
    }
  };
  EXPECT_EQ(go(loop, {1}), "b0 a2 ");
}

TEST_F(SleepingHookTest, HooksThatWantTheTimeAskTheClockOnceBeforeARunAndOnceAfterIt) {
  struct CountingClock : testkit::ManualClock {
    [[nodiscard]] TimePoint now() const override {
      ++reads;
      return ManualClock::now();
    }
    mutable int reads = 0;
  };
  const auto clock = std::make_shared<CountingClock>();
  std::vector<HookPtr> hooks;
  for (int i = 0; i < 3; ++i) {
    hooks.push_back(make_hook<LoggingTensorHook>(
        {.tensors = {{"loss", "train:0"}}, .every_n_secs = 100, .clock = clock}));
    hooks.push_back(
        make_hook<StepCounterHook>({.every_n_steps = std::nullopt, .every_n_secs = 100, .clock = clock}));
    hooks.push_back(make_hook<StepCounterHook>({.every_n_steps = 100, .clock = clock}));
  }
  MonitoredSession loop = session(std::move(hooks));
  go(loop, {1});
  clock->reads = 0;
  go(loop, {1});
  EXPECT_EQ(clock->reads, 2);
}

TEST_F(SleepingHookTest, NobodySleepsWithoutAStep) {
  native::Graph graph({.global_step = false});
  const SessionRunArgs args({graph.operation("work", {}, [](native::StepOutputs&) {})});
  hook_->on_create = [this] { hook_->sleep(); };
  MonitoredSession loop(graph, {.hooks = {hook_}});
  loop.run(args);
  EXPECT_EQ(hook_->calls(), "b-1 a-1 ");
}

}  // namespace
}  // namespace fermata
