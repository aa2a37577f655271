#include "fermata/training_session.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fermata/hooks/stop_at_step_hook.h"
#include "session/loop_fixture.h"

namespace fermata {
namespace {

class TrainingSessionTest : public LoopTest {
 protected:
  TrainingSessionTest() { std::filesystem::remove_all(dir_); }
  ~TrainingSessionTest() override { std::filesystem::remove_all(dir_); }

  StopVerdict train(Step last_step, std::vector<HookPtr> hooks = {}) {
    hooks.push_back(make_hook<StopAtStepHook>({.last_step = last_step}));
    MonitoredSession loop = monitored_training_session(graph_, {.checkpoint_dir = dir_,
                                                                .hooks = hooks,
                                                                .announce = {&args_},
                                                                .save_checkpoint = Interval::steps(4)});
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
                                          .save_checkpoint = Interval::steps(4),
                                          .recovery = quick()});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.notes,
            std::vector<std::string>{"recovered: restored at step 4; steps 5–6 will be run again"});
  EXPECT_EQ(w_, 10.0F);
}

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
      monitored_training_session(graph_, {.checkpoint_dir = dir_, .save_checkpoint = Interval::steps(4)});
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

}  // namespace
}  // namespace fermata
