#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/session_creator.h"
#include "fermata/testkit/manual_clock.h"
#include "session/loop_fixture.h"

namespace fermata {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A chief and a worker whose sessions share their variables, as those of one server do.
class WorkerSessionCreatorTest : public LoopTest {
 protected:
  MonitoredSession worker(std::chrono::nanoseconds max_wait = seconds(100), std::stop_token stop = {}) {
    auto creator = std::make_shared<WorkerSessionCreator>(
        graph_, WorkerSessionCreator::Options{.config = shared_, .max_wait = max_wait, .clock = clock_});
    return MonitoredSession(graph_, {.session_creator = std::move(creator),
                                     .hooks = {hook("worker")},
                                     .recovery = quick(),
                                     .clock = clock_,
                                     .stop = std::move(stop)});
  }

  void start_chief() {
    ChiefSessionCreator creator(graph_, {.config = shared_});
    chief_ = creator.create_session({});
  }

  SessionConfig shared_ = {.target = "the server"};
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  CreatedSession chief_;
};

TEST_F(WorkerSessionCreatorTest, TakesWhatItsChiefHasInitialised) {
  start_chief();
  w_ = 77;
  MonitoredSession session = worker();
  session.run(args_);
  EXPECT_EQ(w_, 78.0F);
  EXPECT_EQ(session.step(), 1);
}

// Contract SC-3.
TEST_F(WorkerSessionCreatorTest, WaitsUntilTheChiefIsThere) {
  clock_->on_pause([this](std::chrono::nanoseconds) {
    if (clock_->passed() == seconds(60)) {
      start_chief();
    }
  });
  MonitoredSession session = worker();
  EXPECT_THAT(clock_->pauses(), ElementsAre(seconds(30), seconds(30)));
  session.run(args_);
}

TEST_F(WorkerSessionCreatorTest, GivesUpAtItsBoundAndSaysWhatIsMissing) {
  const std::string text = thrown_by([&] { static_cast<void>(worker(seconds(70))); });
  EXPECT_THAT(text, HasSubstr("not initialized: global_step, w"));
  EXPECT_THAT(text, HasSubstr("'the server'"));
  EXPECT_THAT(lines(), ElementsAre("worker.begin", "worker.finished failure"));
}

TEST_F(WorkerSessionCreatorTest, AStopOfTheProgramEndsTheWaitCleanly) {
  std::stop_source stop;
  clock_->on_pause([&](std::chrono::nanoseconds) { stop.request_stop(); });
  EXPECT_THROW(static_cast<void>(worker(seconds(100), stop.get_token())), Interrupted);
  EXPECT_THAT(lines(), ElementsAre("worker.begin", "worker.finished requested"));
}

TEST_F(WorkerSessionCreatorTest, AStopFromAnotherThreadEndsARealWait) {
  std::stop_source stop;
  auto creator =
      std::make_shared<WorkerSessionCreator>(graph_, WorkerSessionCreator::Options{.config = shared_});
  std::thread other([&stop] { stop.request_stop(); });
  EXPECT_THROW(MonitoredSession(graph_, {.session_creator = creator, .stop = stop.get_token()}), Interrupted);
  other.join();
}

// report RE-11
TEST_F(WorkerSessionCreatorTest, ARecoveredWorkerWaitsAgainAndInitialisesNothing) {
  start_chief();
  fault_ = [](int call) {
    if (call == 2) {
      throw Error(Code::kAborted, "away", ErrorSource::kEngine);
    }
  };
  MonitoredSession session = worker();
  session.run(args_);
  session.run(args_);
  EXPECT_EQ(session.step(), 2);
  EXPECT_EQ(w_, 2.0F);
}

TEST_F(WorkerSessionCreatorTest, AStopDuringTheWaitOfARecoveryIsACleanEnd) {
  start_chief();
  graph_.unfinalize();
  bool lost = false;
  const Output ready = graph_.value("ready", {}, [&lost](native::Inputs) {
    return lost ? Tensor::strings({1}, {"w"}) : Tensor::strings({0}, {});
  });
  auto creator = std::make_shared<WorkerSessionCreator>(
      graph_, WorkerSessionCreator::Options{
                  .scaffold = std::make_shared<Scaffold>(Scaffold::Options{.ready_op = ready}),
                  .config = shared_,
                  .clock = clock_});
  MonitoredSession session(graph_, {.session_creator = creator, .recovery = quick(), .clock = clock_});
  clock_->on_pause([&](std::chrono::nanoseconds time) {
    if (time == seconds(30)) {
      session.request_stop("enough");
    }
  });
  fault_ = [&lost](int) {
    lost = true;
    throw Error(Code::kAborted, "away", ErrorSource::kEngine);
  };
  const StopVerdict verdict = session.run_until_stopped([&] { session.run(args_); });
  EXPECT_EQ(verdict.reason, StopReason::kRequested);
  EXPECT_EQ(verdict.message, "enough");
}

}  // namespace
}  // namespace fermata
