#include "fermata/hooks/checkpoint_saver_hook.h"

#include <gtest/gtest.h>

#include "fermata/coordinator.h"
#include "fermata/monitored_session.h"
#include "fermata/scaffold.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/trace.h"
#include "hooks/checkpoint_saver_hook_fixture.h"
#include "hooks/hook_test_support.h"
#include "platform/file_system.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;
using testkit::HookDriver;
using testkit::LogCapture;
using testkit::ManualClock;

// Writes down its callbacks; asks to stop at the save of `stop_at`.
class RecordingListener : public CheckpointSaverListener {
 public:
  RecordingListener(std::string name, std::shared_ptr<testkit::Trace> trace, Step stop_at = -1)
      : name_(std::move(name)), trace_(std::move(trace)), stop_at_(stop_at) {}

  void begin() override { trace_->add(name_ + ".begin"); }
  void before_save(Session& /*session*/, Step step) override { note("before_save", step); }
  bool after_save(Session& /*session*/, Step step) override {
    note("after_save", step);
    return step == stop_at_;
  }
  void end(Session& /*session*/, Step step) override { note("end", step); }

 private:
  void note(const char* what, Step step) { trace_->add(fmt::format("{}.{} {}", name_, what, step)); }

  std::string name_;
  std::shared_ptr<testkit::Trace> trace_;
  Step stop_at_;
};

TEST_F(CheckpointSaverHookTest, RefusesOptionsThatDoNotGoTogether) {
  EXPECT_EQ(thrown_by([] { CheckpointSaverHook({.checkpoint_dir = "d"}); }),
            "CheckpointSaverHook: exactly one of save_steps and save_secs must be given, but neither was");
  EXPECT_EQ(thrown_by([] { CheckpointSaverHook({.checkpoint_dir = "d", .save_secs = 1, .save_steps = 1}); }),
            "CheckpointSaverHook: exactly one of save_steps and save_secs must be given, but both were");
  EXPECT_EQ(thrown_by([] {
              CheckpointSaverHook({.checkpoint_dir = "d",
                                   .save_steps = 1,
                                   .saver = std::make_shared<Saver>(SaverDef()),
                                   .scaffold = std::make_shared<Scaffold>()});
            }),
            "CheckpointSaverHook: at most one of saver and scaffold may be given, but both were");
  EXPECT_EQ(thrown_by([] { CheckpointSaverHook({.save_steps = 1}); }),
            "CheckpointSaverHook: checkpoint_dir is empty; name the folder to save in");
}

TEST_F(CheckpointSaverHookTest, AGraphWithoutAStepIsAMisuse) {
  CounterGraph no_step(1, {.global_step = false});
  CheckpointSaverHook hook(every_steps(1));
  EXPECT_THROW(hook.begin(no_step.graph), Misuse);
}

TEST_F(CheckpointSaverHookTest, AFolderThatIsHeldElsewhereIsRefusedBeforeAnythingIsWritten) {
  fs::create_directories(dir_);
  // Another descriptor is another holder, as in another process.
  const auto held = FileSystem::system().try_lock(dir_);
  CheckpointSaverHook hook(every_steps(1));
  EXPECT_NE(thrown_by([&] {
              hook.begin(counter_.graph);
            }).find(dir_ + ": only one process may save checkpoints in a folder"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(CheckpointSaverHookTest, TheFolderIsHeldUntilItsHooksHaveFinished) {
  const fs::path file = fs::path(dir_) / ".fermata.lock";
  const auto session = counter_.session();
  CheckpointSaverHook first(every_steps(1));
  CheckpointSaverHook second(every_steps(1));
  first.begin(counter_.graph);
  EXPECT_FALSE(fs::exists(file));
  HookDriver(first, session.get()).run(0, 1);
  EXPECT_TRUE(fs::exists(file));
  second.begin(counter_.graph);
  first.finished({});
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(FileSystem::system().try_lock(dir_), nullptr);
  second.finished({});
  EXPECT_FALSE(fs::exists(file));
  EXPECT_NE(FileSystem::system().try_lock(dir_), nullptr);
}

TEST_F(CheckpointSaverHookTest, WithoutACreationTheFirstRunSaves) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(every_steps(2));
  hook.begin(counter_.graph);
  HookDriver driver(hook, session.get());
  for (Step step = 0; step < 5; ++step) {
    driver.run(step, step + 1);
  }
  EXPECT_EQ(steps_of(hook), (std::vector<Step>{1, 3, 5}));
}

TEST_F(CheckpointSaverHookTest, SeveralStepsInARunSaveInTheRunThatCrosses) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(every_steps(10));
  hook.begin(counter_.graph);
  HookDriver driver(hook, session.get());
  for (Step step = 0; step < 30; step += 5) {
    driver.run(step, step + 5);
  }
  EXPECT_EQ(steps_of(hook), (std::vector<Step>{5, 15, 25}));
}

TEST_F(CheckpointSaverHookTest, EverySecondsCountFromTheSaveBefore) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(every_secs(2));
  hook.begin(counter_.graph);
  HookDriver driver(hook, session.get());
  Step step = 0;
  for (const double seconds : {0.0, 0.5, 2.0, 0.1, 0.1, 7.3}) {
    clock_->advance_seconds(seconds);
    driver.run(step, step + 1);
    ++step;
  }
  EXPECT_EQ(steps_of(hook), (std::vector<Step>{1, 3, 6}));
}

TEST_F(CheckpointSaverHookTest, ALoopSavesAtCreationAtEachBoundaryAndAtTheEnd) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(2));
  MonitoredSession loop = restoring_loop(counter_, hook);
  for (int i = 0; i < 5; ++i) {
    loop.run(counter_.args);
  }
  EXPECT_EQ(steps_of(*hook), (std::vector<Step>{0, 2, 4}));
  loop.close();
  EXPECT_EQ(steps_of(*hook), (std::vector<Step>{0, 2, 4, 5}));
  EXPECT_EQ(hook->saved().back(), dir_ + "/model.ckpt-5");
  EXPECT_EQ(latest_checkpoint(dir_), dir_ + "/model.ckpt-5");
}

TEST_F(CheckpointSaverHookTest, AStepThatWasSavedIsNotSavedAgainAtTheEnd) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(2));
  MonitoredSession loop = restoring_loop(counter_, hook);
  loop.run(counter_.args);
  loop.run(counter_.args);
  loop.close();
  EXPECT_EQ(steps_of(*hook), (std::vector<Step>{0, 2}));
}

// Contract CKPT-6.
// report CK-19
TEST_F(CheckpointSaverHookTest, ASessionRestoredAtAStepFromThisFolderIsNotSavedAgain) {
  {
    MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(every_steps(2)));
    loop.run(counter_.args);
    loop.run(counter_.args);
    loop.close();
  }
  CounterGraph again;
  auto hook = make_hook<CheckpointSaverHook>(every_steps(2));
  MonitoredSession loop = restoring_loop(again, hook);
  EXPECT_EQ(loop.step(), 2);
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{});
  loop.run(again.args);
  loop.run(again.args);
  loop.close();
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{4});
}

TEST_F(CheckpointSaverHookTest, ASessionThatWasNotRestoredIsSavedOverAnOldStepOfTheSameNumber) {
  {
    MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(every_steps(2)));
    loop.close();
  }
  CounterGraph fresh;
  auto hook = make_hook<CheckpointSaverHook>(every_steps(2));
  MonitoredSession loop(fresh.graph, {.hooks = {hook}});
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{0});
}

TEST_F(CheckpointSaverHookTest, ASessionRestoredFromAnotherFolderIsSaved) {
  const std::string other = folder_ / "other";
  {
    CounterGraph first;
    CheckpointSaverHook::Options options = every_steps(1);
    options.checkpoint_dir = other;
    MonitoredSession loop(first.graph, {.hooks = {make_hook<CheckpointSaverHook>(options)}});
    loop.run(first.args);
    loop.close();
  }
  auto hook = make_hook<CheckpointSaverHook>(every_steps(1));
  MonitoredSession loop(counter_.graph,
                        {.session_creator = std::make_shared<ChiefSessionCreator>(
                             counter_.graph, ChiefSessionCreator::Options{.checkpoint_dir = other}),
                         .hooks = {hook}});
  EXPECT_EQ(loop.step(), 1);
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{1});
}

TEST_F(CheckpointSaverHookTest, AStepThatDoesNotMoveIsSavedOnce) {
  CounterGraph still(0);
  auto hook = make_hook<CheckpointSaverHook>(every_steps(1));
  MonitoredSession loop = restoring_loop(still, hook);
  loop.run(still.args);
  loop.close();
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{0});
}

TEST_F(CheckpointSaverHookTest, AFailureLeavesNoLastCheckpoint) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(10));
  MonitoredSession loop = restoring_loop(counter_, hook);
  loop.run(counter_.args);
  loop.abort(std::make_exception_ptr(std::runtime_error("failed")));
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{0});
}

TEST_F(CheckpointSaverHookTest, ACleanEndAfterARunThatFailedMakesNoCheckpoint) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(10));
  MonitoredSession loop = restoring_loop(counter_, hook);
  loop.run(counter_.args);
  counter_.next_loss = [](int) -> float { throw std::runtime_error("half done"); };
  EXPECT_EQ(thrown_by([&] { loop.run(counter_.args); }), "half done");
  static_cast<void>(log_.take());
  loop.close();
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{0});
  ASSERT_FALSE(log_.lines().empty());
  EXPECT_EQ(
      log_.lines().front(),
      "WARNING CheckpointSaverHook: no checkpoint is made at step 1, since the last run failed and may have "
      "done half of its update");
}

TEST_F(CheckpointSaverHookTest, TheEndOfTheInputIsSaved) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(10));
  counter_.next_loss = [](int run) { return run == 3 ? throw StopIteration() : 1.0F; };
  MonitoredSession loop = restoring_loop(counter_, hook);
  loop.run_until_stopped([&] { loop.run(counter_.args); });
  EXPECT_EQ(steps_of(*hook), (std::vector<Step>{0, 2}));
}

TEST_F(CheckpointSaverHookTest, WhatWasSavedIsRestored) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(3));
  MonitoredSession loop = restoring_loop(counter_, hook);
  for (int i = 0; i < 3; ++i) {
    loop.run(counter_.args);
  }
  loop.close();
  CounterGraph again;
  MonitoredSession resumed = restoring_loop(again, make_hook<CheckpointSaverHook>(every_steps(3)));
  EXPECT_EQ(resumed.start_step(), 3);
  EXPECT_EQ(again.w, 3);
}

// Contract CKPT-14, CKPT-19, FILES-5.
TEST_F(CheckpointSaverHookTest, TheEventFileNotesEachSave) {
  auto hook = make_hook<CheckpointSaverHook>(every_steps(2));
  MonitoredSession loop = restoring_loop(counter_, hook);
  for (int i = 0; i < 3; ++i) {
    loop.run(counter_.args);
  }
  loop.close();
  const std::string path = dir_ + "/model.ckpt";
  EXPECT_EQ(event_lines(dir_), (Lines{"version brain.Event:2", "CHECKPOINT step=0 path=" + path,
                                      "CHECKPOINT step=2 path=" + path, "CHECKPOINT step=3 path=" + path}));
}

TEST_F(CheckpointSaverHookTest, WithoutEventsThereIsNoEventFile) {
  CheckpointSaverHook::Options options = every_steps(2);
  options.write_events = false;
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  loop.close();
  EXPECT_EQ(event_lines(dir_), Lines{});
  EXPECT_TRUE(checkpoint_exists(dir_ + "/model.ckpt-0"));
}

TEST_F(CheckpointSaverHookTest, AnotherBasename) {
  CheckpointSaverHook::Options options = every_steps(2);
  options.checkpoint_basename = "digits";
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  loop.close();
  EXPECT_EQ(latest_checkpoint(dir_), dir_ + "/digits-0");
}

TEST_F(CheckpointSaverHookTest, ASaverOfItsOwnKeepsTheNumberItWasGiven) {
  CheckpointSaverHook::Options options = every_steps(1);
  options.saver = std::make_shared<Saver>(SaverDef(), Saver::Options{.max_to_keep = 1});
  MonitoredSession loop(counter_.graph, {.hooks = {make_hook<CheckpointSaverHook>(options)}});
  loop.run(counter_.args);
  loop.run(counter_.args);
  loop.close();
  EXPECT_FALSE(checkpoint_exists(dir_ + "/model.ckpt-1"));
  EXPECT_TRUE(checkpoint_exists(dir_ + "/model.ckpt-2"));
}

TEST_F(CheckpointSaverHookTest, TheScaffoldsSaverIsUsed) {
  const auto scaffold = std::make_shared<Scaffold>();
  CheckpointSaverHook::Options options = every_steps(1);
  options.scaffold = scaffold;
  MonitoredSession loop(counter_.graph,
                        {.session_creator = std::make_shared<ChiefSessionCreator>(
                             counter_.graph, ChiefSessionCreator::Options{.scaffold = scaffold}),
                         .hooks = {make_hook<CheckpointSaverHook>(options)}});
  loop.run(counter_.args);
  EXPECT_EQ(scaffold->saver()->last_checkpoints(), (Lines{dir_ + "/model.ckpt-0", dir_ + "/model.ckpt-1"}));
}

// report CK-07
TEST_F(CheckpointSaverHookTest, CheckpointsOfAnEarlierProcessAreRemovedInTheirTurn) {
  CheckpointSaverHook::Options options = every_steps(1);
  // The times of files are compared with the clock, so it must be the one they were written by.
  options.clock = nullptr;
  for (int process = 0; process < 7; ++process) {
    CounterGraph counter;
    MonitoredSession loop = restoring_loop(counter, make_hook<CheckpointSaverHook>(options));
    loop.run(counter.args);
    loop.close();
  }
  for (int step = 0; step < 8; ++step) {
    EXPECT_EQ(checkpoint_exists(fmt::format("{}/model.ckpt-{}", dir_, step)), step >= 3) << step;
  }
}

TEST_F(CheckpointSaverHookTest, ListenersAreToldInOrder) {
  CheckpointSaverHook::Options options = every_steps(1);
  options.listeners = {std::make_shared<RecordingListener>("l1", trace_),
                       std::make_shared<RecordingListener>("l2", trace_)};
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  loop.run(counter_.args);
  loop.run(counter_.args);
  loop.close();
  EXPECT_EQ(trace_->lines(),
            (Lines{"l1.begin", "l2.begin", "l1.before_save 0", "l2.before_save 0", "l1.after_save 0",
                   "l2.after_save 0", "l1.before_save 1", "l2.before_save 1", "l1.after_save 1",
                   "l2.after_save 1", "l1.before_save 2", "l2.before_save 2", "l1.after_save 2",
                   "l2.after_save 2", "l1.end 2", "l2.end 2"}));
}

TEST_F(CheckpointSaverHookTest, AListenerSeesTheLastSaveBeforeItsEnd) {
  CheckpointSaverHook::Options options = every_steps(5);
  options.listeners = {std::make_shared<RecordingListener>("l1", trace_)};
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  loop.run(counter_.args);
  loop.close();
  EXPECT_EQ(trace_->lines(), (Lines{"l1.begin", "l1.before_save 0", "l1.after_save 0", "l1.before_save 1",
                                    "l1.after_save 1", "l1.end 1"}));
}

TEST_F(CheckpointSaverHookTest, AListenerEndsTheLoop) {
  CheckpointSaverHook::Options options = every_steps(2);
  options.listeners = {std::make_shared<RecordingListener>("l1", trace_, 2),
                       std::make_shared<RecordingListener>("l2", trace_)};
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(counter_.args); });
  EXPECT_EQ(verdict.to_string(),
            "stop requested at step 2 (CheckpointSaverHook): a checkpoint listener asked to stop");
  const Lines lines = trace_->lines();
  EXPECT_NE(std::find(lines.begin(), lines.end(), "l2.after_save 2"), lines.end());
}

TEST_F(CheckpointSaverHookTest, AListenerIsToldBeforeAnythingOfTheCheckpointIsThere) {
  class Looks : public CheckpointSaverListener {
   public:
    explicit Looks(std::string dir) : dir_(std::move(dir)) {}
    void before_save(Session& /*session*/, Step step) override {
      EXPECT_FALSE(checkpoint_exists(fmt::format("{}/model.ckpt-{}", dir_, step))) << step;
      ++asked_;
    }
    bool after_save(Session& /*session*/, Step step) override {
      EXPECT_TRUE(checkpoint_exists(fmt::format("{}/model.ckpt-{}", dir_, step))) << step;
      return false;
    }
    int asked_ = 0;

   private:
    std::string dir_;
  };
  CheckpointSaverHook::Options options = every_steps(2);
  auto looks = std::make_shared<Looks>(dir_);
  options.listeners = {looks};
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  for (int i = 0; i < 3; ++i) {
    loop.run(counter_.args);
  }
  loop.close();
  EXPECT_EQ(looks->asked_, 3);  // at its creation, in the loop, at the end
}

// Contract CKPT-7.
TEST_F(CheckpointSaverHookTest, AListenerMayEndTheLoopAtTheSaveOfTheCreation) {
  CheckpointSaverHook::Options options = every_steps(2);
  options.listeners = {std::make_shared<RecordingListener>("l1", trace_, 0)};
  MonitoredSession loop = restoring_loop(counter_, make_hook<CheckpointSaverHook>(options));
  EXPECT_TRUE(loop.should_stop());
  const StopVerdict verdict = loop.close();
  EXPECT_EQ(verdict.by, "CheckpointSaverHook");
  EXPECT_EQ(counter_.runs, 0);
}

// Contract ERR-18, LIS-5.
TEST_F(CheckpointSaverHookTest, AnErrorOfAListenerLeavesTheRunAndSkipsThoseAfterIt) {
  class Throwing : public CheckpointSaverListener {
   public:
    void before_save(Session& /*session*/, Step step) override {
      if (step == 1) {
        throw std::runtime_error("no space for notes");
      }
    }
  };
  CheckpointSaverHook::Options options = every_steps(1);
  options.listeners = {std::make_shared<Throwing>(), std::make_shared<RecordingListener>("l2", trace_)};
  auto hook = make_hook<CheckpointSaverHook>(options);
  MonitoredSession loop = restoring_loop(counter_, hook);
  EXPECT_EQ(thrown_by([&] { loop.run(counter_.args); }), "no space for notes");
  EXPECT_EQ(steps_of(*hook), std::vector<Step>{0});
  EXPECT_EQ(trace_->lines(), (Lines{"l2.begin", "l2.before_save 0", "l2.after_save 0"}));
}

TEST_F(CheckpointSaverHookTest, ASaveThatFailedIsNotTriedAgainBeforeTheNextInterval) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(every_steps(10));
  hook.begin(counter_.graph);
  HookDriver driver(hook, session.get());
  fs::remove_all(dir_);
  std::ofstream(dir_) << "a file where the folder should be";
  EXPECT_NE(thrown_by([&] { driver.run(0, 1); }), "");
  driver.run(1, 2);
  fs::remove(dir_);
  driver.run(10, 11);
  EXPECT_EQ(steps_of(hook), std::vector<Step>{11});
}

// Contract CKPT-9, CKPT-11.
TEST_F(CheckpointSaverHookTest, AsksNothingOfTheRun) {
  const auto session = counter_.session();
  CheckpointSaverHook hook(every_steps(1));
  hook.begin(counter_.graph);
  EXPECT_EQ(HookDriver(hook, session.get()).run(0, 1).request, nullptr);
}

}  // namespace
}  // namespace fermata
