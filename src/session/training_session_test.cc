#include "fermata/training_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "session/loop_fixture.h"

namespace fermata {
namespace {

class TrainingSessionTest : public LoopTest {
 protected:
  TrainingSessionTest() { std::filesystem::remove_all(dir_); }
  ~TrainingSessionTest() override { std::filesystem::remove_all(dir_); }

  StopVerdict train(Step last_step, std::vector<HookPtr> hooks = {}) {
    hooks.push_back(make_hook<StopAtStepHook>({.last_step = last_step}));
    MonitoredSession loop = monitored_training_session(
        graph_, {.checkpoint_dir = dir_, .hooks = hooks, .save_checkpoint_steps = 4, .announce = {&args_}});
    return loop.run_until_stopped([&] { loop.run(args_); });
  }

  [[nodiscard]] bool has(Step step) const {
    return checkpoint_exists(dir_ + "/model.ckpt-" + std::to_string(step));
  }

  std::string dir_ = testing::TempDir() + "training_session_test";
};

TEST_F(TrainingSessionTest, SavesAtTheStartEachIntervalAndTheEnd) {
  const StopVerdict verdict = train(10);
  EXPECT_EQ(verdict.reason, StopReason::kTargetReached);
  EXPECT_EQ(verdict.by, "StopAtStepHook");
  EXPECT_EQ(verdict.step, 10);
  for (const Step step : {0, 4, 8, 10}) {
    EXPECT_TRUE(has(step)) << step;
  }
  EXPECT_EQ(latest_checkpoint(dir_), dir_ + "/model.ckpt-10");
}

TEST_F(TrainingSessionTest, GoesOnFromWhereItWas) {
  train(10);
  w_ = 0;
  const StopVerdict verdict = train(15);
  EXPECT_EQ(verdict.step, 15);
  EXPECT_EQ(verdict.restored_from, dir_ + "/model.ckpt-10");
  EXPECT_EQ(w_, 15.0F);
}

TEST_F(TrainingSessionTest, AlreadyAtTheTargetRunsNoStep) {
  train(10);
  calls_ = 0;
  const StopVerdict verdict = train(10);
  EXPECT_EQ(verdict.reason, StopReason::kAlreadyAtTarget);
  EXPECT_EQ(calls_, 0);
}

TEST_F(TrainingSessionTest, ALostSessionIsRestoredAndTheLostStepsAreNamed) {
  fault_ = [](int call) {
    if (call == 7) {
      throw Error(Code::kAborted, "away", ErrorSource::kEngine);
    }
  };
  MonitoredSession loop =
      monitored_training_session(graph_, {.checkpoint_dir = dir_,
                                          .hooks = {make_hook<StopAtStepHook>({.last_step = 10})},
                                          .save_checkpoint_steps = 4,
                                          .recovery = quick()});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.notes,
            std::vector<std::string>{"recovered: restored at step 4; steps 5–6 will be run again"});
  EXPECT_EQ(w_, 10.0F);
}

// report CU-11
TEST_F(TrainingSessionTest, StateOfHooksComesBackWithTheCheckpoint) {
  auto first = std::make_shared<testkit::RecordingHook>(
      testkit::RecordingHook::Options{.name = "input", .trace = trace_, .state = HookState()});
  first->at(testkit::Callback::kBegin, [](const testkit::CallbackArguments&) {});
  HookState state;
  state.set("position", std::int64_t{42});
  auto saved = std::make_shared<testkit::RecordingHook>(
      testkit::RecordingHook::Options{.name = "input", .trace = trace_, .state = state});
  train(3, {saved});
  static_cast<void>(lines());
  train(5, {first});
  EXPECT_EQ(first->state()->integer("position"), 42);
  const auto all = lines();
  EXPECT_EQ(all[1], "input.load_state position=42");
}

TEST_F(TrainingSessionTest, AfterAFailedStepNoCheckpointIsMade) {
  fault_ = [](int call) {
    if (call == 7) {
      throw Error(Code::kInternal, "half an update", ErrorSource::kEngine);
    }
  };
  EXPECT_EQ(thrown_by([&] { train(10); }), "half an update");
  EXPECT_FALSE(has(6));
  EXPECT_EQ(latest_checkpoint(dir_), dir_ + "/model.ckpt-4");
}

TEST_F(TrainingSessionTest, AnExplicitCloseAfterAFailedStepMakesNoCheckpointEither) {
  fault_ = [](int call) {
    if (call == 7) {
      throw Error(Code::kInternal, "half an update", ErrorSource::kEngine);
    }
  };
  MonitoredSession loop =
      monitored_training_session(graph_, {.checkpoint_dir = dir_, .save_checkpoint_steps = 4});
  for (int i = 0; i < 6; ++i) {
    loop.run(args_);
  }
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "half an update");
  loop.close();
  EXPECT_FALSE(has(6));
  EXPECT_TRUE(loop.verdict()->failed());
}

TEST_F(TrainingSessionTest, EndOfInputSavesAtTheEnd) {
  fault_ = [](int call) {
    if (call == 7) {
      throw StopIteration();
    }
  };
  EXPECT_EQ(train(10).reason, StopReason::kEndOfInput);
  EXPECT_TRUE(has(6));
}

// --- the arguments

class TrainingArgumentsTest : public TrainingSessionTest {
 protected:
  // Runs so many steps, each a second long, and closes.
  void run(TrainingSessionOptions options, int steps) {
    options.clock = clock_;
    MonitoredSession loop = monitored_training_session(graph_, std::move(options));
    for (int i = 0; i < steps; ++i) {
      clock_->advance_seconds(1);
      loop.run(args_);
    }
    loop.close();
  }

  [[nodiscard]] std::vector<Step> saved() const {
    std::vector<Step> steps;
    for (Step step = 0; step < 100; ++step) {
      if (has(step)) {
        steps.push_back(step);
      }
    }
    return steps;
  }

  // Names of the files in the folder, event files as "events".
  [[nodiscard]] std::vector<std::string> files(const std::string& dir) const {
    std::vector<std::string> names;
    if (std::filesystem::is_directory(dir)) {
      for (const auto& entry : std::filesystem::directory_iterator(dir)) {
        const std::string name = entry.path().filename().string();
        names.push_back(name.starts_with("events.out.tfevents.") ? "events" : name);
      }
    }
    return names;
  }

  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
};

TEST_F(TrainingArgumentsTest, CheckpointsComeEachSoManyStepsOrSeconds) {
  run({.checkpoint_dir = dir_, .save_checkpoint_steps = 2}, 5);
  EXPECT_THAT(saved(), testing::ElementsAre(0, 2, 4, 5));
  std::filesystem::remove_all(dir_);
  run({.checkpoint_dir = dir_, .save_checkpoint_secs = 3}, 5);
  EXPECT_THAT(saved(), testing::ElementsAre(0, 3, 5));
}

TEST_F(TrainingArgumentsTest, TheDefaultIsTenMinutes) {
  run({.checkpoint_dir = dir_}, 5);
  EXPECT_THAT(saved(), testing::ElementsAre(0, 5));
  std::filesystem::remove_all(dir_);
  clock_->advance(std::chrono::seconds(1000));
  MonitoredSession loop = monitored_training_session(graph_, {.checkpoint_dir = dir_, .clock = clock_});
  for (int i = 0; i < 5; ++i) {
    clock_->advance(std::chrono::seconds(200));
    loop.run(args_);
  }
  EXPECT_THAT(saved(), testing::ElementsAre(0, 3));
}

TEST_F(TrainingArgumentsTest, NoneAndZeroTurnCheckpointsOff) {
  run({.checkpoint_dir = dir_, .save_checkpoint_secs = std::nullopt}, 3);
  EXPECT_THAT(saved(), testing::ElementsAre());
  run({.checkpoint_dir = dir_, .save_checkpoint_steps = 0}, 3);
  EXPECT_THAT(saved(), testing::ElementsAre());
}

TEST_F(TrainingArgumentsTest, OneIntervalNextToNoneIsTheOneThatCounts) {
  run({.checkpoint_dir = dir_, .save_checkpoint_secs = 5, .save_checkpoint_steps = std::nullopt}, 6);
  EXPECT_THAT(saved(), testing::ElementsAre(0, 5, 6));
}

TEST_F(TrainingArgumentsTest, TwoIntervalsOfOneThingAreRefused) {
  EXPECT_EQ(thrown_by([&] {
              run({.checkpoint_dir = dir_, .save_checkpoint_secs = 5, .save_checkpoint_steps = 4}, 1);
            }),
            "monitored_training_session: save_checkpoint_steps (4) and save_checkpoint_secs (5) were both "
            "given; give one, or turn the other off with std::nullopt");
  EXPECT_THROW(run({.checkpoint_dir = dir_, .save_checkpoint_secs = 5, .save_checkpoint_steps = 0}, 1),
               Error);
  EXPECT_THROW(run({.checkpoint_dir = dir_, .save_summaries_steps = 5, .save_summaries_secs = 5}, 1), Error);
}

TEST_F(TrainingArgumentsTest, WithoutAFolderThereAreNoDefaultHooks) {
  testkit::LogCapture log;
  run({.hooks = {hook("h1")}, .log_step_count_steps = 1}, 3);
  EXPECT_THAT(log.lines(), testing::Not(testing::Contains(testing::HasSubstr("global_step/sec"))));
}

TEST_F(TrainingArgumentsTest, SummariesMayGoElsewhere) {
  const std::string summaries = dir_ + "/summaries";
  run({.checkpoint_dir = dir_ + "/run", .summary_dir = summaries}, 2);
  EXPECT_THAT(files(summaries), testing::ElementsAre("events"));
  EXPECT_THAT(files(dir_ + "/run"), testing::Contains("checkpoint"));
}

TEST_F(TrainingArgumentsTest, ASummaryFolderAloneMakesNoCheckpoints) {
  run({.summary_dir = dir_}, 2);
  EXPECT_THAT(files(dir_), testing::ElementsAre("events"));
}

TEST_F(TrainingArgumentsTest, StepsPerSecondAreLoggedEachSoManyStepsOrNever) {
  testkit::LogCapture log;
  run({.log_step_count_steps = 3, .summary_dir = dir_}, 7);
  EXPECT_THAT(log.take(), testing::Contains("INFO global_step/sec: 1").Times(2));
  run({.log_step_count_steps = std::nullopt, .summary_dir = dir_}, 7);
  EXPECT_THAT(log.lines(), testing::Not(testing::Contains(testing::HasSubstr("global_step/sec"))));
}

TEST_F(TrainingArgumentsTest, HooksOfTheChiefComeFirst) {
  run({.hooks = {hook("h1")}, .chief_only_hooks = {hook("chief")}}, 0);
  EXPECT_EQ(lines().front(), "chief.begin");
}

// The saver makes its first checkpoint when it is told of the session.
TEST_F(TrainingArgumentsTest, TheDefaultHooksStandBetweenThoseOfTheChiefAndThoseOfAll) {
  const auto sees = [this](const std::string& name, bool expected) {
    auto looks = hook(name);
    looks->at(testkit::Callback::kAfterCreateSession, [=, this](const testkit::CallbackArguments&) {
      EXPECT_EQ(!saved().empty(), expected) << name;
    });
    return looks;
  };
  run({.checkpoint_dir = dir_, .hooks = {sees("h1", true)}, .chief_only_hooks = {sees("chief", false)}}, 0);
}

// report CK-11
TEST_F(TrainingArgumentsTest, AWorkerHasItsOwnHooksAloneAndWritesNothing) {
  const SessionConfig shared = {.target = "the server"};
  MonitoredSession chief = monitored_training_session(graph_, {.config = shared});
  chief.run(args_);
  run({.config = shared,
       .is_chief = false,
       .checkpoint_dir = dir_,
       .hooks = {hook("worker")},
       .chief_only_hooks = {hook("chief")},
       .save_checkpoint_secs = 5,
       .save_checkpoint_steps = 4},
      1);
  EXPECT_EQ(chief.raw_session()->read_step(), 2);
  EXPECT_FALSE(std::filesystem::exists(dir_));
  EXPECT_THAT(lines(), testing::Not(testing::Contains("chief.begin")));
}

TEST_F(TrainingArgumentsTest, AWorkerWaitsAsLongAsItMay) {
  EXPECT_THROW(run({.is_chief = false, .max_wait = std::chrono::seconds(70)}, 1), Error);
  EXPECT_EQ(clock_->pauses().size(), 2U);
}

}  // namespace
}  // namespace fermata
