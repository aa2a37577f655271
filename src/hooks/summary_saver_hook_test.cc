#include "fermata/hooks/summary_saver_hook.h"

#include <gtest/gtest.h>

#include "fermata/monitored_session.h"
#include "fermata/scaffold.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/manual_clock.h"
#include "hooks/hook_test_support.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testkit::DrivenOutcome;
using testkit::HookDriver;
using testkit::ManualClock;

// A counter with a summary `times` of how often it was computed.
struct SummaryGraph : CounterGraph {
  explicit SummaryGraph(Step increment = 1, native::Graph::Options options = {})
      : CounterGraph(increment, std::move(options)) {
    const Output counted = graph.value("counted", {}, [this](native::Inputs) { return ++computed; });
    summary = graph.scalar_summary("times", counted);
  }
  float computed = 0;
  Output summary;
};

class SummarySaverHookTest : public testing::Test {
 protected:
  // The event file of `runs` runs, without its first record. `between` seconds pass before each run but the
  // first.
  Lines written(SummaryGraph& counter, SummarySaverHook::Options options, int runs, double between = 0) {
    options.output_dir = folder_.path();
    options.summary_op = {counter.summary};
    options.clock = clock_;
    MonitoredSession loop(counter.graph, {.hooks = {make_hook<SummarySaverHook>(options)}});
    for (int run = 0; run < runs; ++run) {
      clock_->advance_seconds(run == 0 ? 0 : between);
      loop.run(counter.args);
    }
    loop.close();
    Lines lines = event_lines(folder_.path());
    lines.erase(lines.begin());
    return lines;
  }

  TempFolder folder_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(SummarySaverHookTest, WantsOneInterval) {
  EXPECT_EQ(thrown_by([] { SummarySaverHook({.output_dir = "d", .summary_op = {"s:0"}}); }),
            "SummarySaverHook: exactly one of save_steps and save_secs must be given, but neither was");
  EXPECT_EQ(thrown_by([] {
              SummarySaverHook({.save_steps = 1, .save_secs = 1, .output_dir = "d", .summary_op = {"s:0"}});
            }),
            "SummarySaverHook: exactly one of save_steps and save_secs must be given, but both were");
}

TEST_F(SummarySaverHookTest, WantsOneSource) {
  EXPECT_EQ(thrown_by([] { SummarySaverHook({.save_steps = 1, .output_dir = "d"}); }),
            "SummarySaverHook: exactly one of summary_op and scaffold must be given, but neither was");
  EXPECT_EQ(thrown_by([] {
              SummarySaverHook({.save_steps = 1,
                                .output_dir = "d",
                                .summary_op = {"s:0"},
                                .scaffold = std::make_shared<Scaffold>()});
            }),
            "SummarySaverHook: exactly one of summary_op and scaffold must be given, but both were");
}

// Contract SUM-11.
TEST_F(SummarySaverHookTest, WithoutAPlaceNothingIsAskedFor) {
  SummaryGraph counter;
  SummarySaverHook hook({.save_steps = 1, .summary_op = {counter.summary}});
  hook.begin(counter.graph);
  HookDriver driver(hook);
  EXPECT_EQ(driver.run(0, 1).request, nullptr);
}

TEST_F(SummarySaverHookTest, AGraphWithoutAStepIsAMisuse) {
  SummaryGraph no_step(1, {.global_step = false});
  SummarySaverHook hook({.save_steps = 1, .output_dir = folder_.path(), .summary_op = {no_step.summary}});
  EXPECT_THROW(hook.begin(no_step.graph), Misuse);
}

// Contract SUM-5, SUM-10, SUM-14.
TEST_F(SummarySaverHookTest, EveryEightStepsWritesAndComputesFourTimesInThirtyRuns) {
  SummaryGraph counter;
  EXPECT_EQ(written(counter, {.save_steps = 8}, 30),
            (Lines{"START step=1", "summary step=1 times=1", "summary step=9 times=2",
                   "summary step=17 times=3", "summary step=25 times=4"}));
  EXPECT_EQ(counter.computed, 4);
}

TEST_F(SummarySaverHookTest, HalfSecondsThatPassBetweenRunsWriteAtEachRun) {
  SummaryGraph counter;
  EXPECT_EQ(written(counter, {.save_secs = 0.5}, 4, 0.5),
            (Lines{"START step=1", "summary step=1 times=1", "summary step=2 times=2",
                   "summary step=3 times=3", "summary step=4 times=4"}));
}

TEST_F(SummarySaverHookTest, NineSecondsAtThreePointOneARunWriteAt1And4And7) {
  SummaryGraph counter;
  EXPECT_EQ(
      written(counter, {.save_secs = 9}, 8, 3.1),
      (Lines{"START step=1", "summary step=1 times=1", "summary step=4 times=2", "summary step=7 times=3"}));
}

// Contract SUM-8, SUM-9.
TEST_F(SummarySaverHookTest, SeveralStepsInARunCrossTheirBoundaries) {
  SummaryGraph by_five(5);
  EXPECT_EQ(written(by_five, {.save_steps = 10}, 6),
            (Lines{"START step=5", "summary step=5 times=1", "summary step=15 times=2",
                   "summary step=25 times=3"}));
}

// Contract SUM-8.
TEST_F(SummarySaverHookTest, ABoundaryThatWasNotForeseenIsDueAtTheNextRun) {
  SummaryGraph counter;
  SummarySaverHook hook(
      {.save_steps = 10, .output_dir = folder_.path(), .summary_op = {counter.summary}, .clock = clock_});
  hook.begin(counter.graph);
  HookDriver driver(hook);
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::string_scalar("")}; };
  EXPECT_NE(driver.run({.before = 0, .after = 1, .results = results}).request, nullptr);
  // Was 1 a run, is 20 now: the boundary at 11 is crossed unseen.
  EXPECT_EQ(driver.run(1, 21).request, nullptr);
  EXPECT_NE(driver.run({.before = 21, .after = 22, .results = results}).request, nullptr);
  EXPECT_EQ(driver.run(22, 23).request, nullptr);
}

TEST_F(SummarySaverHookTest, AStepThatStandsStillIsWrittenInEachRunThatMightMoveIt) {
  SummaryGraph still(0);
  EXPECT_EQ(
      written(still, {.save_steps = 1}, 3),
      (Lines{"START step=0", "summary step=0 times=1", "summary step=0 times=2", "summary step=0 times=3"}));
}

TEST_F(SummarySaverHookTest, SeveralSummariesAreSeveralRecords) {
  SummaryGraph counter;
  const Output c = counter.graph.scalar_summary("c", counter.graph.tensor("c:0"));
  MonitoredSession loop(
      counter.graph,
      {.hooks = {make_hook<SummarySaverHook>(
           {.save_steps = 2, .output_dir = folder_.path(), .summary_op = {counter.summary, c}})}});
  loop.run(counter.args);
  loop.close();
  EXPECT_EQ(event_lines(folder_.path()), (Lines{"version brain.Event:2", "START step=1",
                                                "summary step=1 times=1", "summary step=1 c=1.5"}));
}

TEST_F(SummarySaverHookTest, AScaffoldIsAskedOnceItIsFinal) {
  SummaryGraph counter;
  counter.graph.scalar_summary("c", counter.graph.tensor("c:0"));
  const auto scaffold = std::make_shared<Scaffold>();
  auto hook = make_hook<SummarySaverHook>(
      {.save_steps = 2, .output_dir = folder_.path(), .scaffold = scaffold, .clock = clock_});
  MonitoredSession loop(counter.graph,
                        {.session_creator = std::make_shared<ChiefSessionCreator>(
                             counter.graph, ChiefSessionCreator::Options{.scaffold = scaffold}),
                         .hooks = {hook}});
  loop.run(counter.args);
  loop.close();
  EXPECT_EQ(event_lines(folder_.path()),
            (Lines{"version brain.Event:2", "START step=1", "summary step=1 times=1 c=1.5"}));
}

TEST_F(SummarySaverHookTest, AGraphWithoutSummariesLeavesOnlyTheMarkOfTheStart) {
  CounterGraph counter;
  const auto scaffold = std::make_shared<Scaffold>();
  MonitoredSession loop(counter.graph,
                        {.session_creator = std::make_shared<ChiefSessionCreator>(
                             counter.graph, ChiefSessionCreator::Options{.scaffold = scaffold}),
                         .hooks = {make_hook<SummarySaverHook>(
                             {.save_steps = 1, .output_dir = folder_.path(), .scaffold = scaffold})}});
  loop.run(counter.args);
  loop.run(counter.args);
  loop.close();
  EXPECT_EQ(event_lines(folder_.path()), (Lines{"version brain.Event:2", "START step=1"}));
}

TEST_F(SummarySaverHookTest, ARecoveryWritesNoStepASecondTime) {
  SummaryGraph counter;
  const auto session = counter.session();
  SummarySaverHook hook(
      {.save_steps = 3, .output_dir = folder_.path(), .summary_op = {counter.summary}, .clock = clock_});
  hook.begin(counter.graph);
  hook.after_create_session(*session, nullptr);
  HookDriver driver(hook);
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::string_scalar("")}; };
  driver.run({.before = 0, .after = 1, .results = results});
  driver.run(1, 2);
  driver.run(2, 3);
  EXPECT_NE(driver.run({.before = 3, .after = 4, .results = results}).request, nullptr);
  hook.after_create_session(*session, nullptr);
  for (Step step = 0; step < 6; ++step) {
    EXPECT_EQ(driver.run(step, step + 1).request, nullptr) << step;
  }
  EXPECT_NE(driver.run({.before = 6, .after = 7, .results = results}).request, nullptr);
  hook.end(*session);
  EXPECT_EQ(event_lines(folder_.path()), (Lines{"version brain.Event:2", "START step=1", "summary step=1",
                                                "summary step=4", "summary step=7"}));
}

TEST_F(SummarySaverHookTest, ASecondSessionWritesItsFirstRunAgain) {
  SummaryGraph counter;
  SummarySaverHook hook(
      {.save_steps = 100, .output_dir = folder_.path(), .summary_op = {counter.summary}, .clock = clock_});
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::string_scalar("")}; };
  for (Step step = 0; step < 2; ++step) {
    hook.begin(counter.graph);
    EXPECT_NE(HookDriver(hook).run({.before = step, .after = step + 1, .results = results}).request, nullptr);
  }
  hook.finished({.reason = StopReason::kFailure});
  EXPECT_EQ(event_lines(folder_.path()), (Lines{"version brain.Event:2", "START step=1", "summary step=1",
                                                "START step=2", "summary step=2"}));
}

TEST_F(SummarySaverHookTest, TheRequestIsOneObjectThatIsAnnounced) {
  SummaryGraph counter;
  SummarySaverHook hook({.save_steps = 1, .output_dir = folder_.path(), .summary_op = {counter.summary}});
  hook.begin(counter.graph);
  HookDriver driver(hook);
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::string_scalar("")}; };
  const SessionRunArgs* request = driver.run({.before = 0, .after = 1, .results = results}).request;
  EXPECT_EQ(driver.run({.before = 1, .after = 2, .results = results}).request, request);
  EXPECT_EQ(hook.announced(), std::vector<const SessionRunArgs*>{request});
}

TEST_F(SummarySaverHookTest, WhatWasWrittenIsOnDiskAfterAFailureToo) {
  SummaryGraph counter;
  auto hook = make_hook<SummarySaverHook>(
      {.save_steps = 1, .output_dir = folder_.path(), .summary_op = {counter.summary}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.run(counter.args);
  loop.abort(std::make_exception_ptr(std::runtime_error("failed")));
  EXPECT_EQ(event_lines(folder_.path()).back(), "summary step=1 times=1");
}

// Contract SUM-13.
TEST_F(SummarySaverHookTest, EndFlushesAndDoesNotClose) {
  SummaryGraph counter;
  const auto session = counter.session();
  const auto writer = shared_event_writer(folder_.path());
  SummarySaverHook hook({.save_steps = 1, .summary_writer = writer, .summary_op = {counter.summary}});
  hook.begin(counter.graph);
  HookDriver driver(hook, session.get());
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::string_scalar("")}; };
  driver.run({.before = 0, .after = 1, .results = results});
  hook.end(*session);
  EXPECT_EQ(event_lines(folder_.path()).back(), "summary step=1");
  writer->add_scalar("more", 0.5, 2);
  writer->flush();
  EXPECT_EQ(event_lines(folder_.path()).back(), "summary step=2 more=0.5");
}

}  // namespace
}  // namespace fermata
