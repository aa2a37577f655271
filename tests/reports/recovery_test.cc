// What happens when the other side goes away.
#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class RecoveryReportsTest : public ReportsTest {
 protected:
  // The creator of `options`, which fails as often as it is told.
  class Failing : public SessionCreator {
   public:
    Failing(std::shared_ptr<SessionCreator> inside, int& failures, int& tries)
        : inside_(std::move(inside)), failures_(failures), tries_(tries) {}
    CreatedSession create_session(const CreationRequest& request) override {
      ++tries_;
      if (failures_ > 0) {
        --failures_;
        throw Error(Code::kUnavailable, "the server is away", ErrorSource::kEngine);
      }
      return inside_->create_session(request);
    }
    [[nodiscard]] Graph& graph() const override { return inside_->graph(); }

   private:
    std::shared_ptr<SessionCreator> inside_;
    int& failures_;
    int& tries_;
  };

  MonitoredSession::Options failing(std::vector<HookPtr> hooks = {}) {
    MonitoredSession::Options wanted = options(std::move(hooks));
    wanted.session_creator = std::make_shared<Failing>(wanted.session_creator, failures_, tries_);
    return wanted;
  }

  int failures_ = 0;
  int tries_ = 0;
};

// report RE-01
TEST_F(RecoveryReportsTest, ASessionThatCannotBeMadeIsTriedWithGrowingPausesAndThenGivenUp) {
  failures_ = 1000;
  EXPECT_EQ(thrown_by([&] { MonitoredSession loop(graph_, failing()); }), "the server is away");
  EXPECT_EQ(tries_, 4);
  const auto pauses = clock_->pauses();
  ASSERT_EQ(pauses.size(), 3U);
  EXPECT_LT(pauses[0], pauses[1]);
  EXPECT_LT(pauses[1], pauses[2]);
  // What was used up comes back with time.
  failures_ = 3;
  MonitoredSession loop(graph_, failing());
  clock_->advance(std::chrono::hours(2));
  fail_calls({1, 2, 3}, Code::kUnavailable);
  EXPECT_EQ(train(loop = session({until(1)})).step, 1);
}

// report RE-02
TEST_F(RecoveryReportsTest, AfterAStopNoSessionIsMade) {
  MonitoredSession loop(graph_, failing());
  fault_ = [&](int) {
    loop.request_stop("enough");
    throw Error(Code::kUnavailable, "the peers have gone", ErrorSource::kEngine);
  };
  EXPECT_EQ(thrown_by([&] { train(loop); }), "the peers have gone");
  EXPECT_EQ(tries_, 1);
  fault_ = nullptr;
  graph_.on_close([](Session&) { throw Error(Code::kUnavailable, "gone", ErrorSource::kEngine); });
  tries_ = 0;
  MonitoredSession closes(graph_, failing({until(2)}));
  EXPECT_EQ(train(closes).reason, StopReason::kTargetReached);
  EXPECT_EQ(tries_, 1);
}

// report RE-03
TEST_F(RecoveryReportsTest, AHookThatAlwaysFailsComesToAnEndAndThePolicySaysWhatCounts) {
  auto fails = hook("fails");
  fails->at(Callback::kBeforeRun, [](const CallbackArguments&) { throw Error(Code::kAborted, "shut down"); });
  EXPECT_EQ(thrown_by([&] { train({fails}); }), "shut down");
  EXPECT_EQ(fails->calls(Callback::kBeforeRun), 4U);
  MonitoredSession::Options wanted = options({hook("h")});
  wanted.recovery.recoverable = [](const std::exception_ptr& error) {
    return code_of(error) == Code::kUnavailable;
  };
  MonitoredSession loop(graph_, wanted);
  fail_calls({1, 3}, Code::kAborted);
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "scripted");
  EXPECT_EQ(calls_, 1);
  fail_calls({2}, Code::kUnavailable);
  loop.run(args_);
  EXPECT_EQ(calls_, 3);
}

// report RE-04
TEST_F(RecoveryReportsTest, EachRecoveryIsNotedWithWhatItLost) {
  testkit::LogCapture log;
  const std::string dir = folder_ / "run";
  fail_calls({8, 14}, Code::kUnavailable);
  const StopVerdict verdict = train({saver(5, dir), until(12)}, dir);
  EXPECT_THAT(verdict.notes, ElementsAre("recovered: restored at step 5; steps 6–7 will be run again",
                                         "recovered: restored from " + dir + "/model.ckpt-10"));
  EXPECT_THAT(log.lines(), Contains(HasSubstr("WARNING the session was lost")).Times(2));
}

// report RE-05
TEST_F(RecoveryReportsTest, WithoutACheckpointTheTrainingBeginsAnewAndSaysSo) {
  testkit::LogCapture log;
  fail_calls({11}, Code::kAborted);
  const StopVerdict verdict = train({until(20)});
  const std::string note = "recovered: no checkpoint was there to restore, so the training began anew";
  EXPECT_THAT(verdict.notes, ElementsAre(note));
  EXPECT_THAT(log.lines(), Contains("WARNING " + note));
  EXPECT_EQ(calls_, 31);
}

// report RE-06
TEST_F(RecoveryReportsTest, ALostStateCanBeMadeARecovery) {
  const std::string dir = folder_ / "run";
  MonitoredSession::Options wanted = options({saver(2, dir), until(6)}, dir);
  wanted.recovery.recoverable = [](const std::exception_ptr& error) {
    return is_preemption(error) || code_of(error) == Code::kFailedPrecondition;
  };
  fail_calls({5}, Code::kFailedPrecondition);
  MonitoredSession loop(graph_, wanted);
  EXPECT_EQ(train(loop).step, 6);
  EXPECT_EQ(loop.restored_from(), dir + "/model.ckpt-4");
  // Left alone it is an error.
  start_at(0);
  calls_ = 0;
  EXPECT_EQ(thrown_by([&] { train({until(6)}); }), "scripted");
}

// report RE-10
TEST_F(RecoveryReportsTest, ARecoveryOfOneLeavesTheOthersAlone) {
  MonitoredSession::Options wanted = options({});
  const auto worker = [&] {
    return std::make_shared<WorkerSessionCreator>(
        graph_, WorkerSessionCreator::Options{.config = {.target = "shared"}, .clock = clock_});
  };
  wanted.session_creator = std::make_shared<ChiefSessionCreator>(
      graph_, ChiefSessionCreator::Options{.config = {.target = "shared"}});
  MonitoredSession chief(graph_, wanted);
  wanted.session_creator = worker();
  MonitoredSession lost(graph_, wanted);
  wanted.session_creator = worker();
  MonitoredSession other(graph_, wanted);
  fail_calls({3}, Code::kUnavailable);
  for (int i = 0; i < 50; ++i) {
    chief.run(args_);
    other.run(args_);
    lost.run(args_);
  }
  EXPECT_EQ(step_, 150);
  EXPECT_EQ(lost.step(), 150);
}

// Emits the numbers 0, 1, … and keeps its place with the checkpoints.
class Numbers : public SessionRunHook {
 public:
  std::vector<std::int64_t> emitted;
  const SessionRunArgs* before_run(SessionRunContext& /*context*/) override {
    emitted.push_back(next_++);
    return nullptr;
  }
  void save_state(HookState& state) const override { state.set("next", next_); }
  void load_state(const HookState& state) override { next_ = state.integer("next").value_or(0); }

 private:
  std::int64_t next_ = 0;
};

// report RE-12
TEST_F(RecoveryReportsTest, TheInputGoesOnAtTheRecordOfTheRestoredStep) {
  const std::string dir = folder_ / "run";
  auto numbers = std::make_shared<Numbers>();
  fail_calls({14}, Code::kUnavailable);
  train({numbers, saver(10, dir), until(15)}, dir);
  EXPECT_THAT(std::vector(numbers->emitted.begin() + 12, numbers->emitted.end()),
              ElementsAre(12, 13, 10, 11, 12, 13, 14));
}

}  // namespace
}  // namespace fermata::reports
