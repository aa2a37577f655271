#include "fermata/hooks/stop_at_step_hook.h"

#include <gtest/gtest.h>

#include <limits>

#include "fermata/coordinator.h"
#include "fermata/monitored_session.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/recording_hook.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::DrivenOutcome;
using testkit::HookDriver;

TEST(StopAtStepHookTest, WantsExactlyOneTarget) {
  EXPECT_EQ(thrown_by([] { StopAtStepHook({}); }),
            "StopAtStepHook: exactly one of num_steps and last_step must be given, but neither was");
  EXPECT_EQ(thrown_by([] { StopAtStepHook({.num_steps = 1, .last_step = 2}); }),
            "StopAtStepHook: exactly one of num_steps and last_step must be given, but both were");
  EXPECT_EQ(code_thrown_by([] { StopAtStepHook({}); }), Code::kInvalidArgument);
}

TEST(StopAtStepHookTest, RefusesNegativeNumbers) {
  EXPECT_EQ(thrown_by([] { StopAtStepHook({.num_steps = -3}); }),
            "StopAtStepHook: num_steps must not be negative, but is -3");
  EXPECT_EQ(thrown_by([] { StopAtStepHook({.last_step = -1}); }),
            "StopAtStepHook: last_step must not be negative, but is -1");
}

TEST(StopAtStepHookTest, AGraphWithoutAStepIsAMisuse) {
  CounterGraph counter(1, {.global_step = false});
  StopAtStepHook hook({.last_step = 1});
  EXPECT_EQ(
      thrown_by([&] { hook.begin(counter.graph); }),
      "StopAtStepHook needs a global step, but the graph has none; give the graph one, or name it where "
      "the graph is opened");
  EXPECT_THROW(hook.begin(counter.graph), Misuse);
}

// The step is moved by hand, as nothing increments it.
TEST(StopAtStepHookTest, StopsAtLastStepAndPastIt) {
  StopAtStepHook hook({.last_step = 10});
  HookDriver driver(hook);
  EXPECT_FALSE(driver.run(5, 5).stop);
  EXPECT_FALSE(driver.run(9, 9).stop);
  EXPECT_TRUE(driver.run(10, 10).stop);
  EXPECT_TRUE(driver.run(11, 11).stop);
}

TEST(StopAtStepHookTest, NumStepsCountsFromTheCreation) {
  CounterGraph counter;
  const auto session = counter.session(5);
  StopAtStepHook hook({.num_steps = 10});
  hook.begin(counter.graph);
  EXPECT_EQ(hook.last_step(), std::nullopt);
  hook.after_create_session(*session, nullptr);
  EXPECT_EQ(hook.last_step(), 15);
  HookDriver driver(hook);
  EXPECT_FALSE(driver.run(13, 13).stop);
  EXPECT_FALSE(driver.run(14, 14).stop);
  EXPECT_TRUE(driver.run(15, 15).stop);
  EXPECT_TRUE(driver.run(16, 16).stop);
  // From 5 to 15 in one run.
  EXPECT_TRUE(driver.run(5, 15).stop);
}

// Contract STOP-8.
TEST(StopAtStepHookTest, AnIncrementOfFiveStopsAtTheFirstStepPastTheTarget) {
  StopAtStepHook hook({.last_step = 12});
  HookDriver driver(hook);
  EXPECT_FALSE(driver.run(5, 10).stop);
  EXPECT_TRUE(driver.run(10, 15).stop);
}

TEST(StopAtStepHookTest, TheRequestHasReasonNameAndTarget) {
  StopAtStepHook hook({.last_step = 10});
  const DrivenOutcome outcome = HookDriver(hook).run(9, 10);
  ASSERT_TRUE(outcome.stop);
  EXPECT_EQ(outcome.stop->reason, StopReason::kTargetReached);
  EXPECT_EQ(outcome.stop->by, "StopAtStepHook");
  EXPECT_EQ(outcome.stop->message, "the target is step 10");
}

// Contract STOP-5, STOP-6, STOP-7.
TEST(StopAtStepHookTest, AsksNothingOfTheRun) {
  StopAtStepHook hook({.last_step = 1});
  EXPECT_EQ(HookDriver(hook).run(0, 0).request, nullptr);
  EXPECT_TRUE(hook.announced().empty());
}

TEST(StopAtStepHookTest, AlreadyAtTheTargetStopsFromTheCoordinator) {
  CounterGraph counter;
  const auto session = counter.session(10);
  StopAtStepHook hook({.last_step = 10});
  hook.begin(counter.graph);
  Coordinator coordinator;
  hook.after_create_session(*session, &coordinator);
  EXPECT_TRUE(coordinator.should_stop());
  ASSERT_TRUE(coordinator.stop_request());
  EXPECT_EQ(coordinator.stop_request()->reason, StopReason::kAlreadyAtTarget);
  EXPECT_EQ(coordinator.stop_request()->by, "StopAtStepHook");
}

TEST(StopAtStepHookTest, BelowTheTargetLeavesTheCoordinatorAlone) {
  CounterGraph counter;
  const auto session = counter.session(9);
  StopAtStepHook hook({.last_step = 10});
  hook.begin(counter.graph);
  Coordinator coordinator;
  hook.after_create_session(*session, &coordinator);
  EXPECT_FALSE(coordinator.should_stop());
}

TEST(StopAtStepHookTest, StandsAMissingCoordinator) {
  CounterGraph counter;
  const auto session = counter.session(10);
  StopAtStepHook hook({.last_step = 10});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  EXPECT_TRUE(HookDriver(hook).run(10, 11).stop);
}

TEST(StopAtStepHookTest, ARecoveryDoesNotCountAnew) {
  CounterGraph counter;
  const auto session = counter.session(0);
  StopAtStepHook hook({.num_steps = 3});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  counter.graph.set_global_step(2);
  hook.after_create_session(*session, nullptr);
  EXPECT_EQ(hook.last_step(), 3);
}

TEST(StopAtStepHookTest, ARecoveryAtTheTargetSaysThatRunsReachedIt) {
  CounterGraph counter;
  const auto session = counter.session(0);
  StopAtStepHook hook({.last_step = 3});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  counter.graph.set_global_step(3);
  Coordinator coordinator;
  hook.after_create_session(*session, &coordinator);
  ASSERT_TRUE(coordinator.stop_request());
  EXPECT_EQ(coordinator.stop_request()->reason, StopReason::kTargetReached);
}

// Contract STOP-4.
TEST(StopAtStepHookTest, ASecondSessionCountsAnew) {
  CounterGraph counter;
  const auto session = counter.session(0);
  StopAtStepHook hook({.num_steps = 3});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  counter.graph.set_global_step(3);
  hook.begin(counter.graph);
  EXPECT_EQ(hook.last_step(), std::nullopt);
  Coordinator coordinator;
  hook.after_create_session(*session, &coordinator);
  EXPECT_EQ(hook.last_step(), 6);
  EXPECT_FALSE(coordinator.should_stop());
}

TEST(StopAtStepHookTest, WithoutACreationNumStepsCountsFromTheFirstRun) {
  StopAtStepHook hook({.num_steps = 2});
  HookDriver driver(hook);
  EXPECT_FALSE(driver.run(4, 5).stop);
  EXPECT_TRUE(driver.run(5, 6).stop);
}

TEST(StopAtStepHookTest, AnEndlessCountDoesNotWrapAround) {
  CounterGraph counter;
  const auto session = counter.session(5);
  constexpr Step kMax = std::numeric_limits<Step>::max();
  StopAtStepHook hook({.num_steps = kMax});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  EXPECT_EQ(hook.last_step(), kMax);
}

TEST(StopAtStepHookTest, ALoopEndsExactlyAtTheStep) {
  CounterGraph counter;
  MonitoredSession loop(counter.graph, {.hooks = {make_hook<StopAtStepHook>({.last_step = 7})}});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(counter.args); });
  EXPECT_EQ(verdict.to_string(), "target reached at step 7 (StopAtStepHook): the target is step 7");
  EXPECT_EQ(counter.runs, 7);
}

// Contract STOP-9.
TEST(StopAtStepHookTest, ALoopAtTheTargetRunsNoStep) {
  CounterGraph counter;
  MonitoredSession loop(counter.graph, {.hooks = {make_hook<StopAtStepHook>({.num_steps = 0})}});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(counter.args); });
  EXPECT_EQ(verdict.reason, StopReason::kAlreadyAtTarget);
  EXPECT_EQ(verdict.by, "StopAtStepHook");
  EXPECT_EQ(counter.runs, 0);
}

TEST(StopAtStepHookTest, OfTwoTargetsTheLowerWins) {
  CounterGraph counter;
  MonitoredSession loop(counter.graph, {.hooks = {make_hook<StopAtStepHook>({.last_step = 9}),
                                                  make_hook<StopAtStepHook>({.last_step = 4})}});
  EXPECT_EQ(loop.run_until_stopped([&] { loop.run(counter.args); }).step, 4);
}

// Contract STOP-11.
TEST(StopAtStepHookTest, EndAsksNothingOfTheSession) {
  CounterGraph counter;
  const auto session = counter.session();
  StopAtStepHook hook({.last_step = 3});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  session->close();
  EXPECT_EQ(thrown_by([&] { hook.end(*session); }), "");
}

}  // namespace
}  // namespace fermata
