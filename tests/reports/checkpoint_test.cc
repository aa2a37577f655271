// What is saved, what is summarised, and for which step.
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class CheckpointReportsTest : public ReportsTest {
 protected:
  // Steps of the summaries in a folder, as a viewer shows them.
  static std::vector<Step> summaries(const std::string& dir) {
    std::vector<Step> steps;
    EventFiles(dir).read([&](const LoggedEvent& event) {
      if (event.kind == LoggedEvent::Kind::kSummary) {
        steps.push_back(event.step);
      }
    });
    return steps;
  }
  static HookPtr summary_hook(const Fetch& summary, const std::string& dir, Step every = 1) {
    return make_hook<SummarySaverHook>({.save_steps = every, .output_dir = dir, .summary_op = {summary}});
  }
};

// report CK-01
TEST_F(CheckpointReportsTest, TheLastStepIsSavedAndNoneTwice) {
  for (const auto& [last, expected] :
       std::vector<std::pair<Step, std::vector<Step>>>{{8, {0, 8}}, {12, {0, 10, 12}}, {10, {0, 10}}}) {
    start_at(0);
    auto saves = saver(10, folder_ / std::to_string(last));
    train({saves, until(last)});
    EXPECT_EQ(steps_of(saves->saved()), expected);
  }
}

// report CK-03
TEST_F(CheckpointReportsTest, TheLastSaveDoesNotDependOnWhereARunStarted) {
  for (const Step stop : {0, 13, 22}) {
    start_at(0);
    const std::string dir = folder_ / std::to_string(stop);
    if (stop > 0) {
      train({saver(10, dir), until(stop)}, dir);
    }
    train({saver(10, dir), until(23)}, dir);
    EXPECT_EQ(latest_checkpoint(dir), dir + "/model.ckpt-23");
  }
}

// report CK-04
TEST_F(CheckpointReportsTest, OneSaveForEachStepAndItsNameIsTheStep) {
  auto saves = saver(1, folder_ / "run");
  train({saves, until(2)});
  EXPECT_THAT(steps_of(saves->saved()), ElementsAre(0, 1, 2));
  const Tensor stored = CheckpointReader(folder_ / "run/model.ckpt-2").get_tensor("global_step");
  EXPECT_EQ(stored.view().scalar<std::int64_t>(), 2);
}

// report CK-05
TEST_F(CheckpointReportsTest, TwoSaversOfOneFolderLeaveWholeCheckpoints) {
  const std::string dir = folder_ / "run";
  MonitoredSession loop = monitored_training_session(
      graph_, {.checkpoint_dir = dir, .hooks = {saver(3, dir), until(7)}, .save_checkpoint_steps = 2});
  train(loop);
  for (const CheckpointListing& found : list_checkpoints(dir)) {
    EXPECT_EQ(find_damage(found.prefix), std::nullopt);
  }
  EXPECT_EQ(newest_whole_checkpoint(dir), dir + "/model.ckpt-7");
}

// report CK-06
// report SU-10
TEST_F(CheckpointReportsTest, TheFirstStepAtOrPastEachBoundaryIsSaved) {
  for (const Step period : {3, 10}) {
    for (const Step increment : {1, 4, 25}) {
      start_at(0);
      std::vector<Step> expected = {0};
      for (Step step = increment; step < 30 + increment; step += increment) {
        if (step >= expected.back() + period) {
          expected.push_back(step);
        }
      }
      const Step last = (29 + increment) / increment * increment;
      if (expected.back() != last) {
        expected.push_back(last);
      }
      increment_ = [increment](int) { return increment; };
      auto saves = saver(period, folder_ / (std::to_string(period) + "_" + std::to_string(increment)));
      train({saves, until(30)});
      EXPECT_EQ(steps_of(saves->saved()), expected) << period << " " << increment;
    }
  }
}

// report CK-16
TEST_F(CheckpointReportsTest, ASessionThatStartsAnewOverLaterCheckpointsIsWarnedAbout) {
  const std::string dir = folder_ / "run";
  train({saver(5, dir), until(7)});
  testkit::LogCapture log;
  start_at(0);
  train({saver(5, dir), until(1)});
  EXPECT_THAT(log.take(), Contains(HasSubstr("holds a checkpoint of step 7")).Times(1));
  const std::string other = folder_ / "other";
  for (const Step last : {3, 5}) {
    MonitoredSession loop =
        monitored_training_session(graph_, {.checkpoint_dir = other, .hooks = {until(last)}});
    train(loop);
  }
  EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("holds a checkpoint"))));
}

// report CK-17
TEST_F(CheckpointReportsTest, AStepThatStandsStillIsSavedOnce) {
  increment_ = [](int call) { return call > 5 ? 1 : 0; };
  auto saves =
      make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_ / "run", .save_secs = 10, .clock = clock_});
  auto ticks = hook("ticks");
  ticks->at(Callback::kBeforeRun, [&](const CallbackArguments&) { clock_->advance_seconds(11); });
  train({ticks, saves, until(2)});
  EXPECT_THAT(steps_of(saves->saved()), ElementsAre(0, 1, 2));
}

// report CK-18
TEST_F(CheckpointReportsTest, TheFirstSaveCounts) {
  const std::string dir = folder_ / "run";
  auto saves = saver(2, dir);
  train({saves, until(30)});
  EXPECT_THAT(saves->saved(), SizeIs(16));
  EXPECT_THAT(saved(dir), ElementsAre(22, 24, 26, 28, 30));
}

// report CK-26
TEST_F(CheckpointReportsTest, EpochsDoNotMatterToTheInterval) {
  auto saves = saver(120, folder_ / "run");
  MonitoredSession loop = session({saves});
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (int i = 0; i < 110; ++i) {
      loop.run(args_);
    }
  }
  loop.close();
  EXPECT_THAT(steps_of(saves->saved()), ElementsAre(0, 120, 240, 360, 480, 550));
}

// report CK-29
TEST_F(CheckpointReportsTest, ANanBeforeTheSaverIsNotSaved) {
  loss_ = [](int call) { return call == 10 ? std::numeric_limits<float>::quiet_NaN() : 0.5F; };
  const std::string dir = folder_ / "run";
  EXPECT_THROW(train({make_hook<NanTensorHook>({.loss_tensors = {"train:0"}}), saver(5, dir)}), NanLossError);
  EXPECT_THAT(saved(dir), ElementsAre(0, 5));
}

// report SU-01
TEST_F(CheckpointReportsTest, ARunWithoutHooksNeedsNoFeedOfTheSummary) {
  const Output x = graph_.placeholder<float>("x");
  const Output summary = graph_.scalar_summary("x", x);
  const std::string dir = folder_ / "run";
  MonitoredSession loop = session({summary_hook(summary, dir)});
  loop.run_without_hooks(SessionRunArgs({look_}));
  SessionRunArgs fed({train_});
  static_cast<void>(fed.feed(x, Tensor::scalar(2.0F)));
  loop.run(fed);
  loop.close();
  EXPECT_THAT(summaries(dir), ElementsAre(1));
}

// report SU-02
TEST_F(CheckpointReportsTest, WritersOfOneSecondHaveFilesOfTheirOwn) {
  for (int i = 0; i < 50; ++i) {
    EventWriter writer(folder_.path());
    writer.add_scalar("i", i, i);
  }
  EXPECT_THAT(EventFiles(folder_.path()).files(), SizeIs(50));
  EXPECT_THAT(summaries(folder_.path()), SizeIs(50));
}

// report SU-03
TEST_F(CheckpointReportsTest, SessionsLeaveNoFileOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const Output summary = graph_.scalar_summary("loss", train_.output("loss"));
  const auto before = open_files();
  for (int i = 0; i < 60; ++i) {
    start_at(0);
    train({summary_hook(summary, folder_ / std::to_string(i % 3)), until(1)});
  }
  EXPECT_EQ(open_files(), before);
}

// report SU-05
TEST_F(CheckpointReportsTest, AFolderThatWasRemovedIsMadeAgain) {
  const Output summary = graph_.scalar_summary("loss", train_.output("loss"));
  const std::string dir = folder_ / "run";
  for (int i = 0; i < 2; ++i) {
    start_at(0);
    train({summary_hook(summary, dir), until(3)});
    EXPECT_THAT(summaries(dir), ElementsAre(1, 2, 3));
    std::filesystem::remove_all(dir);
  }
}

// report SU-07
TEST_F(CheckpointReportsTest, WhatComesBeforeACheckpointIsReadableOnceItIsThere) {
  const Output summary = graph_.scalar_summary("loss", train_.output("loss"));
  const std::string dir = folder_ / "run";
  MonitoredSession loop = session({summary_hook(summary, dir), saver(4, dir)});
  for (int i = 0; i < 5; ++i) {
    loop.run(args_);
  }
  // As a killed process leaves it.
  const std::vector<Step> left = summaries(dir);
  EXPECT_THAT(std::vector(left.begin(), left.begin() + 4), ElementsAre(1, 2, 3, 4));
}

// report SU-08
TEST_F(CheckpointReportsTest, AFolderThatCannotBeMadeIsNamedBeforeTheFirstStep) {
  std::ofstream(folder_ / "file") << "no folder";
  const Output summary = graph_.scalar_summary("loss", train_.output("loss"));
  EXPECT_THAT(thrown_by([&] { train({summary_hook(summary, folder_ / "file/run")}); }),
              HasSubstr(folder_ / "file"));
  EXPECT_EQ(calls_, 0);
}

// report SU-09
TEST_F(CheckpointReportsTest, AResumedRunShowsEachStepOnce) {
  const Output summary = graph_.scalar_summary("loss", train_.output("loss"));
  const std::string dir = folder_ / "run";
  fail_calls({8}, Code::kInternal);
  EXPECT_EQ(thrown_by([&] { train({summary_hook(summary, dir), saver(5, dir)}, dir); }), "scripted");
  fault_ = nullptr;
  train({summary_hook(summary, dir), saver(5, dir), until(9)}, dir);
  EXPECT_THAT(summaries(dir), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

}  // namespace
}  // namespace fermata::reports
