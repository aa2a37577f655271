#include "fermata/hooks/profiler_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fermata/monitored_session.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/recording_hook.h"
#include "hooks/hook_test_support.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProfilerHookTest : public testing::Test {
 protected:
  MonitoredSession loop(CounterGraph& counter, ProfilerHook::Options options) {
    options.output_dir = folder_.path();
    options.clock = clock_;
    return MonitoredSession(counter.graph, {.hooks = {make_hook<ProfilerHook>(std::move(options))}});
  }

  // Steps with a timeline, in order.
  [[nodiscard]] std::vector<Step> timelines() const {
    std::vector<Step> steps;
    for (Step step = 0; step < 100; ++step) {
      if (std::filesystem::exists(folder_ / ("timeline-" + std::to_string(step) + ".json"))) {
        steps.push_back(step);
      }
    }
    return steps;
  }

  // Steps with a timeline after so many runs, each of so many seconds.
  std::vector<Step> profile(ProfilerHook::Options options, const std::vector<double>& seconds,
                            Step increment = 1) {
    CounterGraph counter(increment);
    MonitoredSession session = loop(counter, std::move(options));
    for (const double length : seconds) {
      clock_->advance_seconds(length);
      session.run(counter.args);
    }
    session.close();
    return timelines();
  }

  TempFolder folder_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  testkit::LogCapture log_;
};

TEST_F(ProfilerHookTest, TheFirstRunIsNotTracedAndTheSecondIs) {
  EXPECT_THAT(profile({.save_steps = 1}, {0, 0}), ElementsAre(2));
}

TEST_F(ProfilerHookTest, EverySecondStep) {
  EXPECT_THAT(profile({.save_steps = 2}, {0, 0, 0, 0, 0}), ElementsAre(2, 4));
}

TEST_F(ProfilerHookTest, BySecondsTheClockIsAskedBeforeTheRun) {
  EXPECT_THAT(profile({.save_secs = 2}, {0, 2.5, 0.1, 1.8, 0.1}), ElementsAre(2, 5));
}

TEST_F(ProfilerHookTest, StepsThatGrowByMoreAreTracedWhereTheyCrossABoundary) {
  EXPECT_THAT(profile({.save_steps = 10}, {0, 0, 0, 0, 0}, 5), ElementsAre(10, 20));
}

// Contract FILES-8.
TEST_F(ProfilerHookTest, TheTimelineShowsTheRunsOperations) {
  profile({.save_steps = 1}, {0, 0});
  std::ifstream file(folder_ / "timeline-2.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr(R"({"name":"/native:0 Compute"})"));
  EXPECT_THAT(text, HasSubstr(R"("args":{"name":"train","op":"step"})"));
}

TEST_F(ProfilerHookTest, OnlyTheTracedRunHasMetadata) {
  CounterGraph counter;
  std::vector<bool> filled;
  const auto recorder =
      std::make_shared<testkit::RecordingHook>(testkit::RecordingHook::Options{.name = "h"});
  recorder->at(testkit::Callback::kAfterRun, [&](const testkit::CallbackArguments& arguments) {
    filled.push_back(!arguments.values->run_metadata().serialized.empty());
  });
  auto profiler = make_hook<ProfilerHook>({.save_steps = 2, .output_dir = folder_.path()});
  MonitoredSession session(counter.graph, {.hooks = {profiler, recorder}});
  for (int run = 0; run < 3; ++run) {
    session.run(counter.args);
  }
  EXPECT_EQ(filled, (std::vector<bool>{false, true, false}));
}

TEST_F(ProfilerHookTest, TheEventFileHasTheTraceUnderTheStepsTag) {
  profile({.save_steps = 2}, {0, 0, 0, 0});
  EXPECT_THAT(event_lines(folder_.path()),
              ElementsAre("version brain.Event:2", "run_metadata tag=step_2", "run_metadata tag=step_4"));
}

// Contract PROF-8.
TEST_F(ProfilerHookTest, AStepThatComesAgainAfterARollbackHasATagOfItsOwn) {
  CounterGraph counter;
  MonitoredSession session = loop(counter, {.save_steps = 1});
  session.run(counter.args);
  session.run(counter.args);
  counter.graph.set_global_step(1);
  session.run(counter.args);  // the loop still takes it for the third
  session.close();
  EXPECT_THAT(event_lines(folder_.path()),
              ElementsAre("version brain.Event:2", "run_metadata tag=step_2", "run_metadata tag=step_2_2"));
}

TEST_F(ProfilerHookTest, WithoutAFolderTheCurrentOneIsTaken) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  CounterGraph counter;
  MonitoredSession session(counter.graph, {.hooks = {make_hook<ProfilerHook>({.save_steps = 1})}});
  session.run(counter.args);
  session.run(counter.args);
  session.close();
  std::filesystem::current_path(before);
  EXPECT_THAT(timelines(), ElementsAre(2));
}

// Contract PROF-2.
TEST_F(ProfilerHookTest, WantsOneIntervalAndMakesNothingBeforeBegin) {
  const std::string dir = folder_ / "not made";
  EXPECT_EQ(code_thrown_by([&] { ProfilerHook({.output_dir = dir}); }), Code::kInvalidArgument);
  EXPECT_EQ(code_thrown_by([&] { ProfilerHook({.save_steps = 1, .save_secs = 1, .output_dir = dir}); }),
            Code::kInvalidArgument);
  const ProfilerHook unused({.save_steps = 1, .output_dir = dir});
  EXPECT_FALSE(std::filesystem::exists(dir));
}

TEST_F(ProfilerHookTest, WantsAGlobalStep) {
  native::Graph graph({.global_step = false});
  ProfilerHook hook({.save_steps = 1, .output_dir = folder_.path()});
  EXPECT_THAT(thrown_by([&] { hook.begin(graph); }), HasSubstr("ProfilerHook needs a global step"));
}

}  // namespace
}  // namespace fermata
