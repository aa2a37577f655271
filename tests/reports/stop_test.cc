// When a loop stops, and what it says then.
#include <limits>

#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class StopReportsTest : public ReportsTest {};

// report ST-01
TEST_F(StopReportsTest, ASecondRunInTheLastPassIsRefusedAndOneWithoutHooksIsNot) {
  const SessionRunArgs aux({look_});
  auto watch = hook("watch");
  MonitoredSession loop = session({until(5), watch});
  EXPECT_THROW(loop.run_until_stopped([&] {
    loop.run(args_);
    if (step_ == 5) {
      loop.run(aux);
    }
  }),
               Misuse);
  EXPECT_EQ(step_, 5);
  EXPECT_EQ(watch->calls(Callback::kFinished), 1U);
  auto again = hook("again");
  MonitoredSession with_aux = session({until(5), again});
  const StopVerdict verdict = with_aux.run_until_stopped([&] {
    with_aux.run(args_);
    with_aux.run_without_hooks(aux);
  });
  EXPECT_EQ(verdict.step, 5);
  EXPECT_EQ(looks_, 5);
  EXPECT_EQ(again->calls(Callback::kEnd), 1U);
}

// report ST-02
TEST_F(StopReportsTest, AFinishedJobRunsNothingAndSaysBothNumbers) {
  for (const Step restored : {6000, 6001}) {
    start_at(restored);
    const StopVerdict verdict = train({until(6000)});
    EXPECT_EQ(verdict.to_string(), "already at the target at step " + std::to_string(restored) +
                                       " (StopAtStepHook): the target is step 6000");
  }
  EXPECT_EQ(calls_, 0);
}

// report ST-03
TEST_F(StopReportsTest, NumStepsIsRelativeAndLastStepAbsolute) {
  start_at(100);
  EXPECT_EQ(train({make_hook<StopAtStepHook>({.num_steps = 10})}).step, 110);
  EXPECT_EQ(train({until(10)}).reason, StopReason::kAlreadyAtTarget);
  const auto refused = [](StopAtStepHook::Options options) {
    return thrown_by([&] { const StopAtStepHook made(options); });
  };
  EXPECT_THAT(refused({.num_steps = 1, .last_step = 1}), HasSubstr("both were"));
  EXPECT_THAT(refused({}), HasSubstr("neither was"));
  EXPECT_THAT(refused({.num_steps = -1}), HasSubstr("not be negative"));
}

// report ST-05
TEST_F(StopReportsTest, AnInputThatEndsEarlyIsTheReasonAndIsWarnedAbout) {
  testkit::LogCapture log;
  fault_ = [](int call) {
    if (call == 8) {
      throw Error(Code::kOutOfRange, "no more rows", ErrorSource::kEngine);
    }
  };
  const StopVerdict verdict = train({until(10)});
  EXPECT_EQ(verdict.reason, StopReason::kEndOfInput);
  EXPECT_EQ(verdict.step, 7);
  const std::string warning = "WARNING StopAtStepHook: the input ended at step 7, before the target, step 10";
  EXPECT_THAT(log.take(), Contains(warning).Times(1));
  step_ = 0;
  calls_ = 0;
  EXPECT_EQ(train({until(7)}).reason, StopReason::kTargetReached);
  EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("the input ended"))));
}

// report ST-06
TEST_F(StopReportsTest, StopsAtTheFirstStepAtOrPastTheTarget) {
  increment_ = [](int) { return 2; };
  EXPECT_EQ(train({until(5)}).step, 6);
  EXPECT_EQ(calls_, 3);
  calls_ = 0;
  increment_ = [](int) { return 10; };
  start_at(0);
  EXPECT_EQ(train({until(15)}).step, 20);
  EXPECT_EQ(calls_, 2);
}

// report ST-07
TEST_F(StopReportsTest, CountsUpdatesNotRuns) {
  increment_ = [](int call) { return call % 4 == 0 ? 1 : 0; };
  EXPECT_EQ(train({until(3)}).step, 3);
  EXPECT_EQ(calls_, 12);
  calls_ = 0;
  start_at(0);
  increment_ = [](int call) { return call == 4 ? 5 : 0; };
  EXPECT_EQ(train({until(3)}).step, 5);
  EXPECT_EQ(calls_, 4);
}

// report ST-08
TEST_F(StopReportsTest, BeingPastTheTargetIsHavingReachedIt) {
  for (const auto& [start, runs] : std::vector<std::pair<Step, int>>{{7, 0}, {5, 0}, {4, 1}}) {
    calls_ = 0;
    start_at(start);
    train({until(5)});
    EXPECT_EQ(calls_, runs) << start;
  }
}

// report ST-09
TEST_F(StopReportsTest, AStopOfAnyHookIsTheLastRunAndAllHooksSeeIt) {
  for (std::size_t asks = 0; asks < 5; ++asks) {
    calls_ = 0;
    std::vector<std::shared_ptr<RecordingHook>> hooks;
    for (int i = 0; i < 5; ++i) {
      hooks.push_back(hook("h" + std::to_string(i)));
    }
    hooks[asks]->at(Callback::kAfterRun, 3, [](const CallbackArguments& a) { a.context->request_stop(); });
    EXPECT_EQ(train({hooks.begin(), hooks.end()}).by, "h" + std::to_string(asks));
    EXPECT_EQ(calls_, 3);
    for (const auto& each : hooks) {
      EXPECT_EQ(each->calls(Callback::kAfterRun), 3U);
    }
  }
}

// report ST-10
TEST_F(StopReportsTest, AStopForNanIsSaidOnceAndStays) {
  testkit::LogCapture log;
  loss_ = [](int call) { return call < 2 ? 0.5F : std::numeric_limits<float>::quiet_NaN(); };
  const auto watch = [](bool fails) {
    return make_hook<NanTensorHook>({.loss_tensors = {"train:0"}, .fail_on_nan_loss = fails});
  };
  MonitoredSession loop = session({watch(false)});
  while (!loop.should_stop()) {
    loop.run(args_);
  }
  EXPECT_EQ(calls_, 2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(loop.should_stop());
  }
  loop.close();
  EXPECT_THAT(log.take(), Contains(HasSubstr("NaN")).Times(1));
  calls_ = 0;
  start_at(0);
  EXPECT_THROW(train({watch(true), saver(100, folder_ / "strict")}), NanLossError);
  EXPECT_THAT(saved(folder_ / "strict"), ElementsAre(0));
}

// report ST-11
TEST_F(StopReportsTest, ALoopAroundTheLoopMakesNoFurtherRun) {
  MonitoredSession loop = session({until(3)});
  for (int epoch = 0; epoch < 10; ++epoch) {
    while (!loop.should_stop()) {
      loop.run(args_);
    }
  }
  EXPECT_EQ(calls_, 3);
  EXPECT_THROW(loop.run(args_), Misuse);
  EXPECT_EQ(calls_, 3);
}

// report ST-12
// report CK-15
TEST_F(StopReportsTest, ARelaunchAtTheTargetEndsWellAndWritesNothing) {
  const std::string dir = folder_ / "run";
  train({saver(10, dir), until(4)}, dir);
  const std::vector<double> written = get_checkpoint_mtimes({dir + "/model.ckpt-4", dir + "/model.ckpt-0"});
  for (int i = 0; i < 10; ++i) {
    const StopVerdict verdict = train({saver(10, dir), until(4)}, dir);
    EXPECT_EQ(verdict.reason, StopReason::kAlreadyAtTarget);
    EXPECT_EQ(verdict.exit_code(), 0);
  }
  EXPECT_THAT(saved(dir), ElementsAre(0, 4));
  EXPECT_EQ(get_checkpoint_mtimes({dir + "/model.ckpt-4", dir + "/model.ckpt-0"}), written);
}

// report ST-13
TEST_F(StopReportsTest, EveryHookCountsUpdates) {
  increment_ = [](int call) { return call % 4 == 0 ? 1 : 0; };
  std::vector<int> fired;
  class Listener : public CheckpointSaverListener {
   public:
    Listener(std::vector<int>& fired, const int& calls) : fired_(fired), calls_(calls) {}
    void before_save(Session&, Step) override { fired_.push_back(calls_); }

   private:
    std::vector<int>& fired_;
    const int& calls_;
  };
  testkit::LogCapture log;
  train({make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_ / "run",
                                         .save_steps = 2,
                                         .listeners = {std::make_shared<Listener>(fired, calls_)}}),
         make_hook<StepCounterHook>({.every_n_steps = 2, .clock = clock_}), until(6)});
  EXPECT_THAT(fired, ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("global_step/sec")).Times(3));
  // A stop does not wait for the end of an update.
  calls_ = 0;
  auto asks = hook("asks");
  asks->at(Callback::kAfterRun, 6, [](const CallbackArguments& a) { a.context->request_stop(); });
  train({asks});
  EXPECT_EQ(calls_, 6);
}

// Passes a wish to stop on once a smallest step is reached.
class NotBefore : public SessionRunHook {
 public:
  NotBefore(Step least, Step wish) : least_(least), wish_(wish) {}
  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    if (*values.step() >= std::max(least_, wish_)) {
      context.request_stop("wished for at step " + std::to_string(wish_));
    }
  }

 private:
  Step least_;
  Step wish_;
};

// report ST-14
TEST_F(StopReportsTest, AHookMayHoldAWishBackUntilItsStep) {
  EXPECT_EQ(train({std::make_shared<NotBefore>(10, 4)}).step, 10);
  start_at(0);
  EXPECT_EQ(train({std::make_shared<NotBefore>(10, 12)}).step, 12);
}

// report ST-16
// report RE-14
TEST_F(StopReportsTest, TheCallersTargetCountsAndTheStoredStepIsKept) {
  const std::string dir = folder_ / "run";
  train({saver(100, dir), until(4)}, dir);
  calls_ = 0;
  MonitoredSession loop = session({saver(100, dir), until(10)}, dir);
  EXPECT_EQ(loop.start_step(), 4);
  EXPECT_EQ(train(loop).step, 10);
  EXPECT_EQ(calls_, 6);
  EXPECT_EQ(train({saver(100, dir), until(10)}, dir).step, 10);
  EXPECT_EQ(calls_, 6);
}

// report ST-19
TEST_F(StopReportsTest, NoHookIsAddedInSecret) {
  loss_ = [](int) { return std::numeric_limits<float>::quiet_NaN(); };
  MonitoredSession loop = monitored_training_session(
      graph_,
      {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"train:0"}, .fail_on_nan_loss = false})}});
  const StopVerdict verdict = train(loop);
  EXPECT_EQ(verdict.reason, StopReason::kRequested);
  EXPECT_EQ(verdict.by, "NanTensorHook");
}

// report ST-20
// report CK-02
TEST_F(StopReportsTest, WhatIsDoneAtTheEndIsDoneAtEveryCleanEnd) {
  const auto end_by = [&](const std::string& name, const std::function<void(MonitoredSession&)>& at_seven) {
    calls_ = 0;
    start_at(0);
    auto keeper = hook("keeper");
    const std::string dir = folder_ / name;
    MonitoredSession loop = session({keeper, saver(5, dir), until(name == "target" ? 7 : 100)});
    static_cast<void>(thrown_by([&] {
      loop.run_until_stopped([&] {
        loop.run(args_);
        if (step_ == 7 && at_seven) {
          at_seven(loop);
        }
      });
    }));
    EXPECT_EQ(keeper->calls(Callback::kEnd), name == "error" ? 0U : 1U) << name;
    return saved(dir);
  };
  EXPECT_THAT(end_by("target", nullptr), ElementsAre(0, 5, 7));
  EXPECT_THAT(end_by("request", [](MonitoredSession& loop) { loop.request_stop("enough"); }),
              ElementsAre(0, 5, 7));
  EXPECT_THAT(end_by("input", [](MonitoredSession&) { throw StopIteration(); }), ElementsAre(0, 5, 7));
  EXPECT_THAT(end_by("error", [](MonitoredSession&) { throw std::runtime_error("broken"); }),
              ElementsAre(0, 5));
}

}  // namespace
}  // namespace fermata::reports
