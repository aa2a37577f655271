#include "fermata/hooks/global_step_waiter_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "fermata/monitored_session.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/recording_hook.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class GlobalStepWaiterHookTest : public testing::Test {
 protected:
  // The step becomes these values in the pauses, one after the other.
  void steps_in_pauses(std::vector<Step> steps) {
    clock_->on_pause([this, steps = std::move(steps), next = std::size_t{0}](auto) mutable {
      if (next < steps.size()) {
        counter_.graph.set_global_step(steps[next++]);
      }
    });
  }

  MonitoredSession loop(GlobalStepWaiterHook::Options options, std::vector<HookPtr> others = {}) {
    options.clock = clock_;
    std::vector<HookPtr> hooks = std::move(others);
    hooks.push_back(make_hook<GlobalStepWaiterHook>(std::move(options)));
    return MonitoredSession(counter_.graph, {.hooks = std::move(hooks)});
  }

  CounterGraph counter_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  testkit::LogCapture log_;
};

TEST_F(GlobalStepWaiterHookTest, TheFirstRunComesOnceTheStepIsThere) {
  steps_in_pauses({500, 1100});
  MonitoredSession session = loop({.wait_until_step = 1000});
  session.run(counter_.args);
  EXPECT_EQ(session.step(), 1101);
  EXPECT_THAT(clock_->pauses(), ElementsAre(milliseconds(500), milliseconds(500)));
  EXPECT_THAT(log_.lines(), ElementsAre("INFO waiting for the global step to reach 1000"));
}

TEST_F(GlobalStepWaiterHookTest, ReachedOnceItNeverWaitsAgain) {
  MonitoredSession session = loop({.wait_until_step = 5});
  counter_.graph.set_global_step(5);
  session.run(counter_.args);
  counter_.graph.set_global_step(0);
  session.run(counter_.args);
  EXPECT_THAT(clock_->pauses(), ElementsAre());
}

TEST_F(GlobalStepWaiterHookTest, ForStepZeroNothingIsRead) {
  GlobalStepWaiterHook hook({.wait_until_step = 0});
  hook.begin(counter_.graph);
  // Without a session a read would be seen.
  testkit::HookDriver(hook).run(0, 1);
  EXPECT_THAT(log_.lines(), ElementsAre());
}

// Contract WAIT-4.
TEST_F(GlobalStepWaiterHookTest, ProgressIsLoggedEachThousandSteps) {
  steps_in_pauses({1000, 1001, 2001, 2002, 3000});
  MonitoredSession session = loop({.wait_until_step = 3000});
  session.run(counter_.args);
  EXPECT_THAT(log_.lines(), ElementsAre("INFO waiting for the global step to reach 3000",
                                        "INFO waiting for the global step to reach 3000, now it is 1001",
                                        "INFO waiting for the global step to reach 3000, now it is 2002"));
}

TEST_F(GlobalStepWaiterHookTest, EarlierHooksAreAskedBeforeTheWaitAndLaterOnesAfterIt) {
  const auto earlier =
      std::make_shared<testkit::RecordingHook>(testkit::RecordingHook::Options{.name = "h1"});
  std::size_t asked_in_pause = 0;
  clock_->on_pause([&](auto) {
    asked_in_pause = earlier->calls(testkit::Callback::kBeforeRun);
    counter_.graph.set_global_step(3);
  });
  MonitoredSession session = loop({.wait_until_step = 3}, {earlier});
  session.run(counter_.args);
  EXPECT_EQ(asked_in_pause, 1U);
}

// Contract WAIT-5.
TEST_F(GlobalStepWaiterHookTest, TheWaitHasABound) {
  MonitoredSession session = loop({.wait_until_step = 3, .max_wait = seconds(2)});
  EXPECT_EQ(
      thrown_by([&] { session.run(counter_.args); }),
      "GlobalStepWaiterHook: the global step should have reached 3 within 2 s, but is 0; do the workers "
      "that count it run?");
  EXPECT_EQ(clock_->passed(), seconds(2));
  EXPECT_EQ(counter_.runs, 0);
}

// Contract WAIT-5.
TEST_F(GlobalStepWaiterHookTest, AStopOfTheCallerEndsTheWaitAndTheLoopCleanly) {
  MonitoredSession session = loop({.wait_until_step = 3});
  clock_->on_pause([&](auto) { session.request_stop("enough"); });
  const StopVerdict verdict = session.run_until_stopped([&] { session.run(counter_.args); });
  EXPECT_EQ(verdict.reason, StopReason::kRequested);
  EXPECT_EQ(verdict.message, "enough");
  EXPECT_EQ(counter_.runs, 0);
}

// Contract WAIT-5.
TEST_F(GlobalStepWaiterHookTest, AStopOfTheCoordinatorEndsItToo) {
  const auto threads =
      std::make_shared<testkit::RecordingHook>(testkit::RecordingHook::Options{.name = "h1"});
  Coordinator* coordinator = nullptr;
  threads->at(testkit::Callback::kAfterCreateSession,
              [&](const testkit::CallbackArguments& arguments) { coordinator = arguments.coordinator; });
  MonitoredSession session = loop({.wait_until_step = 3}, {threads});
  clock_->on_pause(
      [&](auto) { coordinator->request_stop(std::make_exception_ptr(Error(Code::kDataLoss, "broken"))); });
  EXPECT_EQ(thrown_by([&] { session.run_until_stopped([&] { session.run(counter_.args); }); }), "broken");
}

TEST_F(GlobalStepWaiterHookTest, AStopFromAnotherThreadEndsARealWait) {
  auto hook = make_hook<GlobalStepWaiterHook>({.wait_until_step = 3});
  MonitoredSession session(counter_.graph, {.hooks = {hook}});
  std::thread other([&session] { session.request_stop(); });
  EXPECT_EQ(session.run_until_stopped([&] { session.run(counter_.args); }).reason, StopReason::kRequested);
  other.join();
}

TEST_F(GlobalStepWaiterHookTest, WantsAGlobalStep) {
  native::Graph graph({.global_step = false});
  GlobalStepWaiterHook hook({.wait_until_step = 3});
  EXPECT_THAT(thrown_by([&] { hook.begin(graph); }),
              HasSubstr("GlobalStepWaiterHook needs a global step, but the graph has none"));
}

// Contract WAIT-7.
TEST_F(GlobalStepWaiterHookTest, AsksNothingOfTheRun) {
  const auto session = counter_.session(5);
  GlobalStepWaiterHook hook({.wait_until_step = 5});
  hook.begin(counter_.graph);
  EXPECT_EQ(testkit::HookDriver(hook, session.get()).run(5, 6).request, nullptr);
}

}  // namespace
}  // namespace fermata
