// How the process ends: signals, threads that do not, sessions nobody closed. Each in a process of its own.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

using testing::ExitedWithCode;

class ProcessEndReportsTest : public ReportsTest {
 protected:
  // Trains until `signal` comes in step 3, and leaves with the code of the verdict.
  [[noreturn]] void train_until(int signal) {
    MonitoredSession::Options wanted = options({saver(100, folder_ / "run")});
    wanted.stop_on_signals = true;
    fault_ = [signal](int call) {
      if (call == 3) {
        std::raise(signal);
      }
    };
    MonitoredSession loop(graph_, wanted);
    const StopVerdict verdict = train(loop);
    std::_Exit(verdict.signal == signal ? verdict.exit_code() : 1);
  }
};

// report LC-10
TEST_F(ProcessEndReportsTest, ASignalEndsWithItsCodeAndACheckpoint) {
  EXPECT_EXIT(train_until(SIGINT), ExitedWithCode(130), "");
  EXPECT_EQ(latest_checkpoint(folder_ / "run"), folder_ / "run/model.ckpt-3");
  EXPECT_EXIT(train_until(SIGTERM), ExitedWithCode(143), "");
  // Nothing is installed unless it was asked for.
  struct sigaction before = {};
  struct sigaction during = {};
  ::sigaction(SIGTERM, nullptr, &before);
  MonitoredSession loop = session({});
  ::sigaction(SIGTERM, nullptr, &during);
  EXPECT_EQ(before.sa_handler, during.sa_handler);
}

// report RE-07
TEST_F(ProcessEndReportsTest, ASignalEndsALongListenerAndAWait) {
  // An evaluation that looks now and then whether it should stop.
  class Evaluation : public CheckpointSaverListener {
   public:
    bool after_save(Session& /*session*/, Step step) override {
      if (step == 2) {
        std::raise(SIGTERM);
      }
      for (int i = 0; i < 3000 && StopOnSignal::received() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(step == 2 ? 10 : 0));
      }
      return false;
    }
  };
  EXPECT_EXIT(
      {
        MonitoredSession::Options wanted =
            options({make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_ / "run",
                                                     .save_steps = 2,
                                                     .listeners = {std::make_shared<Evaluation>()}})});
        wanted.stop_on_signals = true;
        MonitoredSession loop(graph_, wanted);
        std::_Exit(train(loop).exit_code());
      },
      ExitedWithCode(143), "");
  EXPECT_EXIT(
      {
        clock_->on_pause([](std::chrono::nanoseconds) { std::raise(SIGTERM); });
        MonitoredSession::Options wanted = options({});
        wanted.stop_on_signals = true;
        wanted.session_creator =
            std::make_shared<WorkerSessionCreator>(graph_, WorkerSessionCreator::Options{.clock = clock_});
        std::_Exit(thrown_by([&] { MonitoredSession loop(graph_, wanted); }).empty() ? 1 : 128 + SIGTERM);
      },
      ExitedWithCode(143), "");
}

// A session with a thread that ignores every stop.
MonitoredSession::Options with_stuck_thread(MonitoredSession::Options wanted) {
  wanted.stop_grace_period = std::chrono::milliseconds(10);
  auto starts = std::make_shared<RecordingHook>(RecordingHook::Options{});
  starts->at(Callback::kAfterCreateSession, [](const CallbackArguments& a) {
    a.coordinator->start_thread("stuck", [] {
      for (;;) {
        ::pause();
      }
    });
  });
  wanted.hooks.push_back(std::move(starts));
  return wanted;
}

// report TH-02
// report TH-09
TEST_F(ProcessEndReportsTest, AThreadThatIgnoresTheStopDoesNotKeepTheProcess) {
  EXPECT_EXIT(
      {
        ::alarm(20);
        MonitoredSession loop(graph_, with_stuck_thread(options({until(2)})));
        train(loop);
        std::exit(0);
      },
      ExitedWithCode(0), "threads still running");
  // Left without a close, the destructor is bound by the same grace.
  EXPECT_EXIT(
      {
        ::alarm(20);
        { MonitoredSession loop(graph_, with_stuck_thread(options({}))); }
        std::exit(0);
      },
      ExitedWithCode(0), "threads still running");
}

// report TH-10
TEST_F(ProcessEndReportsTest, AHalfUsedInputEndsWithTheLoop) {
  int read = 0;
  auto loads = hook("loads");
  loads->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) {
    a.coordinator->start_thread("loader", [&read, coordinator = a.coordinator] {
      while (!coordinator->wait_for_stop(std::chrono::milliseconds(1)) && read < 1'000'000) {
        ++read;
      }
    });
  });
  EXPECT_EQ(train({loads, until(3)}).reason, StopReason::kTargetReached);
  EXPECT_LT(read, 1'000'000);
  auto fails = hook("fails");
  fails->at(Callback::kAfterCreateSession, [](const CallbackArguments& a) {
    a.coordinator->start_thread("loader", [] { throw std::runtime_error("a torn row"); });
  });
  MonitoredSession loop = session({fails});
  EXPECT_EQ(thrown_by([&] { train(loop); }), "a torn row");
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "nothing");
}

// report TH-11
TEST_F(ProcessEndReportsTest, ASessionThatIsAStaticObjectEndsWithTheProcess) {
  EXPECT_EXIT(
      {
        static native::Graph graph;
        const Operation step = graph.step("step", {}, [](native::StepOutputs&) {});
        static MonitoredSession loop(graph);
        loop.run(SessionRunArgs({step}));
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fermata::reports
