#include "fermata/hooks/step_counter_hook.h"

#include <gtest/gtest.h>

#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "hooks/hook_test_support.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testkit::HookDriver;
using testkit::LogCapture;
using testkit::ManualClock;

class StepCounterHookTest : public testing::Test {
 protected:
  // Steps of the event file: each run adds `increment` to the step, and `seconds` pass before it.
  std::vector<Step> reports(StepCounterHook::Options options, int runs, Step increment, double seconds = 1) {
    TempFolder folder;
    options.output_dir = folder.path();
    options.clock = clock_;
    StepCounterHook hook(options);
    hook.begin(counter_.graph);
    HookDriver driver(hook);
    for (int run = 0; run < runs; ++run) {
      clock_->advance_seconds(seconds);
      driver.run(run * increment, (run + 1) * increment);
    }
    hook.finished({.reason = StopReason::kFailure});
    std::vector<Step> steps;
    for (const std::string& line : event_lines(folder.path())) {
      if (line.starts_with("summary step=")) {
        steps.push_back(std::stoll(line.substr(13)));
      }
    }
    return steps;
  }

  CounterGraph counter_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  LogCapture log_;
};

TEST_F(StepCounterHookTest, WantsOneInterval) {
  EXPECT_EQ(thrown_by([] { StepCounterHook({.every_n_steps = 1, .every_n_secs = 1}); }),
            "StepCounterHook: exactly one of every_n_steps and every_n_secs must be given, but both were");
  EXPECT_EQ(thrown_by([] { StepCounterHook({.every_n_steps = std::nullopt}); }),
            "StepCounterHook: exactly one of every_n_steps and every_n_secs must be given, but neither was");
}

TEST_F(StepCounterHookTest, AGraphWithoutAStepIsAMisuse) {
  CounterGraph no_step(1, {.global_step = false});
  StepCounterHook hook({});
  EXPECT_THROW(hook.begin(no_step.graph), Misuse);
}

TEST_F(StepCounterHookTest, EveryTenStepsReportsAt11And21) {
  EXPECT_EQ(reports({.every_n_steps = 10}, 30, 1), (std::vector<Step>{11, 21}));
}

TEST_F(StepCounterHookTest, SecondsReportFromTheSecondRunOn) {
  EXPECT_EQ(reports({.every_n_steps = std::nullopt, .every_n_secs = 0.1}, 3, 1, 0.2),
            (std::vector<Step>{2, 3}));
}

TEST_F(StepCounterHookTest, SeveralStepsInARunAreSeenInTheRunThatCrosses) {
  EXPECT_EQ(reports({.every_n_steps = 10}, 5, 5), (std::vector<Step>{15, 25}));
  EXPECT_EQ(reports({.every_n_steps = 5}, 5, 5), (std::vector<Step>{10, 15, 20, 25}));
  EXPECT_EQ(reports({.every_n_steps = 5}, 5, 10), (std::vector<Step>{20, 30, 40, 50}));
}

// Contract CNT-11.
TEST_F(StepCounterHookTest, WritesTheRateToLogAndEventFile) {
  TempFolder folder;
  StepCounterHook hook({.every_n_steps = 3, .output_dir = folder.path(), .clock = clock_});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  for (Step step = 0; step < 10; ++step) {
    clock_->advance_seconds(0.5);
    driver.run(step, step + 1);
  }
  const auto session = counter_.session();
  hook.end(*session);
  EXPECT_EQ(event_lines(folder.path()),
            (Lines{"version brain.Event:2", "summary step=4 global_step/sec=2",
                   "summary step=7 global_step/sec=2", "summary step=10 global_step/sec=2"}));
  EXPECT_EQ(log_.take(), Lines(3, "INFO global_step/sec: 2"));
}

TEST_F(StepCounterHookTest, TheRateHasSixDigitsAndMayBeInfinite) {
  StepCounterHook hook({.every_n_steps = 1, .clock = clock_});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  driver.run(0, 1);
  Step step = 1;
  for (const double seconds : {3.0, 0.0009765625, 7'000'000.0, 0.0}) {
    clock_->advance_seconds(seconds);
    driver.run(step, step + 1);
    ++step;
  }
  EXPECT_EQ(log_.take(), (Lines{"INFO global_step/sec: 0.333333", "INFO global_step/sec: 1024",
                                "INFO global_step/sec: 1.42857e-07", "INFO global_step/sec: inf"}));
}

TEST_F(StepCounterHookTest, TheTagIsNamedAfterTheStep) {
  CounterGraph scoped(1, {.global_step_name = "bar/foo/global_step"});
  StepCounterHook hook({.every_n_steps = 1, .clock = clock_});
  hook.begin(scoped.graph);
  HookDriver driver(hook);
  driver.run(0, 1);
  clock_->advance_seconds(1);
  driver.run(1, 2);
  EXPECT_EQ(log_.take(), Lines{"INFO bar/foo/global_step/sec: 1"});
}

// Contract CNT-8.
TEST_F(StepCounterHookTest, ANewSessionStartsTheMeasurementAnew) {
  const auto session = counter_.session();
  StepCounterHook hook({.every_n_steps = 2, .clock = clock_});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  driver.run(9, 10);
  clock_->advance_seconds(1000);
  hook.after_create_session(*session, nullptr);
  driver.run(4, 5);
  clock_->advance_seconds(1);
  driver.run(5, 7);
  EXPECT_EQ(log_.take(), Lines{"INFO global_step/sec: 2"});
}

TEST_F(StepCounterHookTest, WarnsAtMostFiveTimesOfAStepThatStandsStill) {
  StepCounterHook hook({});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  for (int run = 0; run < 9; ++run) {
    driver.run(0, 0);
  }
  EXPECT_EQ(log_.take(),
            Lines(5,
                  "WARNING StepCounterHook: the global step (current value 0, previous value 0) has not been "
                  "increased; does each run fetch the operation that trains, and does that count the step?"));
}

// Contract CNT-9.
TEST_F(StepCounterHookTest, TwoHooksCountTheirWarningsApart) {
  for (int hook_number = 0; hook_number < 2; ++hook_number) {
    StepCounterHook hook({});
    hook.begin(counter_.graph);
    HookDriver driver(hook);
    for (int run = 0; run < 9; ++run) {
      driver.run(0, 0);
    }
    EXPECT_EQ(log_.take().size(), 5U);
  }
}

TEST_F(StepCounterHookTest, AStepThatMovesIsNoWarning) {
  reports({.every_n_steps = 10}, 9, 1);
  EXPECT_EQ(log_.take(), Lines{});
}

TEST_F(StepCounterHookTest, ARollbackToTheSameStepIsNoWarning) {
  const auto session = counter_.session();
  StepCounterHook hook({});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  driver.run(0, 1);
  hook.after_create_session(*session, nullptr);
  driver.run(0, 1);
  EXPECT_EQ(log_.take(), Lines{});
}

// Contract CNT-3.
TEST_F(StepCounterHookTest, AsksNothingOfTheRun) {
  StepCounterHook hook({});
  hook.begin(counter_.graph);
  EXPECT_EQ(HookDriver(hook).run(0, 1).request, nullptr);
}

TEST_F(StepCounterHookTest, AWriterThatIsGivenIsUsed) {
  TempFolder folder;
  auto writer = std::make_shared<EventWriter>(folder.path());
  StepCounterHook hook({.every_n_steps = 1, .summary_writer = writer, .clock = clock_});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  driver.run(0, 1);
  clock_->advance_seconds(0.25);
  driver.run(1, 2);
  hook.finished({.reason = StopReason::kFailure});
  EXPECT_EQ(event_lines(folder.path()).back(), "summary step=2 global_step/sec=4");
}

}  // namespace
}  // namespace fermata
