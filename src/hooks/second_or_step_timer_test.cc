#include "fermata/hooks/second_or_step_timer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fermata/session_run_hook.h"
#include "fermata/testkit/manual_clock.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::ManualClock;

class CountingClock : public ManualClock {
 public:
  [[nodiscard]] TimePoint now() const override {
    ++reads;
    return ManualClock::now();
  }
  mutable int reads = 0;
};

class SecondOrStepTimerTest : public testing::Test {
 protected:
  SecondOrStepTimer every_secs(double seconds) {
    return SecondOrStepTimer({.every_secs = seconds, .clock = clock_});
  }
  SecondOrStepTimer every_steps(Step steps) {
    return SecondOrStepTimer({.every_steps = steps, .clock = clock_});
  }

  std::shared_ptr<CountingClock> clock_ = std::make_shared<CountingClock>();
};

TEST_F(SecondOrStepTimerTest, WantsExactlyOneInterval) {
  EXPECT_EQ(thrown_by([] { SecondOrStepTimer({}); }),
            "SecondOrStepTimer: exactly one of every_steps and every_secs must be given, but neither was");
  EXPECT_EQ(thrown_by([] { SecondOrStepTimer({.every_secs = 0.0, .every_steps = 0}); }),
            "SecondOrStepTimer: exactly one of every_steps and every_secs must be given, but both were");
}

// Contract TIMER-10.
TEST_F(SecondOrStepTimerTest, RefusesNegativeIntervals) {
  EXPECT_EQ(code_thrown_by([] { SecondOrStepTimer({.every_steps = -1}); }), Code::kInvalidArgument);
  EXPECT_EQ(thrown_by([] { SecondOrStepTimer({.every_secs = -0.5}); }),
            "SecondOrStepTimer: every_secs must not be negative, but is -0.5");
  EXPECT_EQ(code_thrown_by([] { SecondOrStepTimer({.every_secs = std::nan("")}); }), Code::kInvalidArgument);
}

TEST_F(SecondOrStepTimerTest, IsDueAtOnceIfItNeverTriggered) {
  EXPECT_TRUE(every_steps(100).should_trigger_for_step(0));
  EXPECT_TRUE(every_secs(100).should_trigger_for_step(7));
  EXPECT_EQ(every_steps(100).last_triggered_step(), std::nullopt);
}

TEST_F(SecondOrStepTimerTest, EveryThreeSteps) {
  SecondOrStepTimer timer = every_steps(3);
  timer.update_last_triggered_step(1);
  EXPECT_FALSE(timer.should_trigger_for_step(1));
  EXPECT_FALSE(timer.should_trigger_for_step(2));
  EXPECT_FALSE(timer.should_trigger_for_step(3));
  EXPECT_TRUE(timer.should_trigger_for_step(4));
  EXPECT_TRUE(timer.should_trigger_for_step(40));
}

TEST_F(SecondOrStepTimerTest, EverySecondCountsFromTheLastTrigger) {
  SecondOrStepTimer timer = every_secs(1);
  timer.update_last_triggered_step(1);
  EXPECT_FALSE(timer.should_trigger_for_step(2));
  clock_->advance_seconds(0.9);
  EXPECT_FALSE(timer.should_trigger_for_step(2));
  clock_->advance_seconds(0.1);
  EXPECT_FALSE(timer.should_trigger_for_step(1));
  EXPECT_TRUE(timer.should_trigger_for_step(2));
}

TEST_F(SecondOrStepTimerTest, TenthsOfASecondAddUpExactly) {
  SecondOrStepTimer timer = every_secs(0.3);
  timer.update_last_triggered_step(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(timer.should_trigger_for_step(2));
    clock_->advance_seconds(0.1);
  }
  EXPECT_TRUE(timer.should_trigger_for_step(2));
}

TEST_F(SecondOrStepTimerTest, AskingChangesNothing) {
  SecondOrStepTimer timer = every_steps(1);
  EXPECT_TRUE(timer.should_trigger_for_step(3));
  EXPECT_TRUE(timer.should_trigger_for_step(3));
  EXPECT_EQ(timer.last_triggered_step(), std::nullopt);
}

TEST_F(SecondOrStepTimerTest, SaysWhatPassedSinceTheTriggerBefore) {
  SecondOrStepTimer timer = every_steps(1);
  EXPECT_EQ(timer.update_last_triggered_step(1).seconds, std::nullopt);
  clock_->advance_seconds(2.5);
  SecondOrStepTimer::Elapsed elapsed = timer.update_last_triggered_step(5);
  EXPECT_EQ(elapsed.seconds, 2.5);
  EXPECT_EQ(elapsed.steps, 4);
  // After a rollback the difference is negative.
  elapsed = timer.update_last_triggered_step(2);
  EXPECT_EQ(elapsed.seconds, 0);
  EXPECT_EQ(elapsed.steps, -3);
  EXPECT_EQ(timer.last_triggered_step(), 2);
}

TEST_F(SecondOrStepTimerTest, ResetForgetsEverything) {
  SecondOrStepTimer timer = every_steps(10);
  timer.update_last_triggered_step(5);
  timer.reset();
  EXPECT_TRUE(timer.should_trigger_for_step(5));
  EXPECT_EQ(timer.last_triggered_step(), std::nullopt);
  EXPECT_EQ(timer.update_last_triggered_step(6).steps, std::nullopt);
}

TEST_F(SecondOrStepTimerTest, ZeroIsDueAtEachOtherStep) {
  SecondOrStepTimer steps = every_steps(0);
  SecondOrStepTimer seconds = every_secs(0);
  for (SecondOrStepTimer* timer : {&steps, &seconds}) {
    timer->update_last_triggered_step(1);
    EXPECT_FALSE(timer->should_trigger_for_step(1));
    EXPECT_TRUE(timer->should_trigger_for_step(2));
  }
}

TEST_F(SecondOrStepTimerTest, StaysSilentAfterARollbackUntilTheOldBoundary) {
  SecondOrStepTimer timer = every_steps(10);
  timer.update_last_triggered_step(20);
  EXPECT_FALSE(timer.should_trigger_for_step(5));
  EXPECT_FALSE(timer.should_trigger_for_step(29));
  EXPECT_TRUE(timer.should_trigger_for_step(30));
}

TEST_F(SecondOrStepTimerTest, StandsTheEndsOfTheRange) {
  constexpr Step kMax = std::numeric_limits<Step>::max();
  constexpr Step kMin = std::numeric_limits<Step>::min();
  SecondOrStepTimer timer = every_steps(kMax);
  timer.update_last_triggered_step(kMax - 1);
  EXPECT_FALSE(timer.should_trigger_for_step(kMax));
  timer.update_last_triggered_step(kMin);
  EXPECT_TRUE(timer.should_trigger_for_step(kMax));
  SecondOrStepTimer rare = every_secs(1e300);
  rare.update_last_triggered_step(1);
  clock_->advance_seconds(1e6);
  EXPECT_FALSE(rare.should_trigger_for_step(2));
}

TEST_F(SecondOrStepTimerTest, StepsModeDoesNotReadTheClockToAnswer) {
  SecondOrStepTimer timer = every_steps(10);
  timer.update_last_triggered_step(0);
  clock_->reads = 0;
  for (Step step = 0; step < 20; ++step) {
    static_cast<void>(timer.should_trigger_for_step(step));
  }
  EXPECT_EQ(clock_->reads, 0);
}

TEST_F(SecondOrStepTimerTest, SaysBeforeWhichStepItNeedNotBeAsked) {
  SecondOrStepTimer timer = every_steps(100);
  EXPECT_EQ(timer.not_due_before(), std::numeric_limits<Step>::min());
  timer.update_last_triggered_step(7);
  EXPECT_EQ(timer.not_due_before(), 107);
  timer.update_last_triggered_step(std::numeric_limits<Step>::max() - 1);
  EXPECT_EQ(timer.not_due_before(), std::numeric_limits<Step>::max());
  SecondOrStepTimer seconds = every_secs(100);
  seconds.update_last_triggered_step(7);
  EXPECT_EQ(seconds.not_due_before(), std::numeric_limits<Step>::min());
}

TEST_F(SecondOrStepTimerTest, TimersOfOneRunAskTheClockOnce) {
  SecondOrStepTimer one = every_secs(10);
  SecondOrStepTimer other = every_secs(20);
  one.update_last_triggered_step(0);
  other.update_last_triggered_step(0);
  clock_->advance_seconds(15);
  clock_->reads = 0;
  SessionRunContext context;
  EXPECT_TRUE(one.should_trigger_for_step(1, context));
  EXPECT_FALSE(other.should_trigger_for_step(1, context));
  EXPECT_EQ(clock_->reads, 1);
}

}  // namespace
}  // namespace fermata
