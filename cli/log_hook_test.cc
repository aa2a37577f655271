#include "cli/log_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fermata/error.h"
#include "fermata/testkit/hook_driver.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;
using testkit::DrivenOutcome;
using testkit::HookDriver;

// A hook that watches "loss", and what it handed out.
class LogHookTest : public testing::Test {
 protected:
  void make(Step every, OnNan on_nan = OnNan::kShow) {
    LogHook::Options options;
    options.values = {{"loss", Output{}}};
    options.every = every;
    options.on_nan = on_nan;
    options.goal = [this] { return goal_; };
    options.log_to.emplace_back([this](const StepValues& values) { logged_.push_back(values.step); });
    options.show_to.emplace_back([this](const StepValues& values) { shown_.push_back(values.step); });
    hook_ = std::make_unique<LogHook>(std::move(options));
  }

  DrivenOutcome run(Step before, Step after, float loss = 1.0F) {
    return HookDriver(*hook_).run({.before = before, .after = after, .results = [&](const SessionRunArgs&) {
                                     return std::vector{Tensor::scalar(loss)};
                                   }});
  }
  void run_steps(Step from, Step to, Step increment = 1) {
    for (Step step = from; step < to; step += increment) {
      run(step, step + increment);
    }
  }

  std::optional<Step> goal_;
  std::vector<Step> logged_;
  std::vector<Step> shown_;
  std::unique_ptr<LogHook> hook_;
};

TEST_F(LogHookTest, LogsMultiplesOfTheInterval) {
  make(3);
  run_steps(0, 10);
  EXPECT_THAT(logged_, ElementsAre(3, 6, 9));
}

TEST_F(LogHookTest, TheSameStepsAreLoggedHoweverTheRunWasInterrupted) {
  make(3);
  run_steps(0, 4);
  make(3);
  run_steps(4, 10);
  EXPECT_THAT(logged_, ElementsAre(3, 6, 9));
}

TEST_F(LogHookTest, ShowsTheFirstAndTheLastStepToo) {
  make(4);
  goal_ = 10;
  run_steps(0, 10);
  EXPECT_THAT(shown_, ElementsAre(1, 4, 8, 10));
}

TEST_F(LogHookTest, FetchesOnlyInRunsThatAreShown) {
  make(4);
  EXPECT_NE(run(0, 1).request, nullptr);
  EXPECT_EQ(run(1, 2).request, nullptr);
  EXPECT_EQ(run(2, 3).request, nullptr);
  EXPECT_NE(run(3, 4).request, nullptr);
}

TEST_F(LogHookTest, StepsThatGrowByMoreAreLoggedWhereTheyCrossAMultiple) {
  make(12);
  run_steps(0, 40, 5);
  EXPECT_THAT(logged_, ElementsAre(15, 25, 40));
}

TEST_F(LogHookTest, AStepThatJumpsPastAMultipleIsLoggedOneRunLate) {
  make(10);
  run(0, 1);
  run(1, 15);
  run(15, 16);
  EXPECT_THAT(logged_, ElementsAre(16));
}

TEST_F(LogHookTest, NanIsShownUnlessSaidOtherwise) {
  make(1);
  EXPECT_FALSE(run(0, 1, NAN).stop.has_value());
  EXPECT_THAT(logged_, ElementsAre(1));
}

TEST_F(LogHookTest, NanStopsTheRun) {
  make(100, OnNan::kStop);
  run(0, 1);
  EXPECT_FALSE(run(1, 2).stop.has_value());
  const DrivenOutcome outcome = run(2, 3, NAN);
  ASSERT_TRUE(outcome.stop.has_value());
  EXPECT_EQ(outcome.stop->message, "loss is not a number at step 3");
  EXPECT_THAT(shown_, ElementsAre(1, 3));
}

TEST_F(LogHookTest, NanFailsTheRun) {
  make(100, OnNan::kFail);
  EXPECT_THROW(run(0, 1, NAN), NanLossError);
  EXPECT_THAT(shown_, ElementsAre(1));
}

TEST_F(LogHookTest, InfinityIsANumber) {
  make(100, OnNan::kFail);
  EXPECT_FALSE(run(0, 1, INFINITY).stop.has_value());
}

TEST_F(LogHookTest, KeepsTheLastValues) {
  make(2);
  EXPECT_TRUE(hook_->last_values().empty());
  run(0, 1, 5.0F);
  run(1, 2, 4.0F);
  run(2, 3, 3.0F);
  ASSERT_EQ(hook_->last_values().size(), 1U);
  EXPECT_EQ(hook_->last_values()[0].name, "loss");
  EXPECT_EQ(hook_->last_values()[0].value.view().scalar<float>(), 4.0F);
}

}  // namespace
}  // namespace fermata::cli
