#include "fermata/looper_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "fermata/error.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata {
namespace {

using std::chrono::seconds;

// Contract LOOP-5.
TEST(LooperThreadTest, CallsBackToBackUntilTheStop) {
  Coordinator coordinator;
  std::atomic<int> left{3};
  const LooperThread looper = LooperThread::loop(coordinator, std::nullopt, [&] {
    if (--left == 0) {
      coordinator.request_stop();
    }
  });
  coordinator.join();
  EXPECT_EQ(left, 0);
  EXPECT_FALSE(looper.is_alive());
}

TEST(LooperThreadTest, AnErrorIsReportedAndEndsIt) {
  Coordinator coordinator;
  int calls = 0;
  bool stop_loop = false;
  LooperThread looper(coordinator, {.target =
                                        [&] {
                                          if (++calls == 2) {
                                            throw Error(Code::kInternal, "broken");
                                          }
                                        },
                                    .stop_loop = [&] { stop_loop = true; }});
  looper.start();
  looper.join();
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(stop_loop);
  EXPECT_THROW(coordinator.join(), Error);
}

class StoppedBefore : public testing::TestWithParam<std::optional<std::chrono::nanoseconds>> {};

TEST_P(StoppedBefore, ItIsNeverCalled) {
  Coordinator coordinator;
  coordinator.request_stop();
  int calls = 0;
  const LooperThread looper = LooperThread::loop(coordinator, GetParam(), [&] { ++calls; });
  coordinator.join();
  EXPECT_EQ(calls, 0);
}

INSTANTIATE_TEST_SUITE_P(LooperThreadTest, StoppedBefore,
                         testing::Values(std::nullopt, std::chrono::nanoseconds(0), seconds(1)));

TEST(LooperThreadTest, StartLoopComesFirstAndStopLoopLast) {
  Coordinator coordinator;
  std::string calls;
  LooperThread looper(coordinator, {.target =
                                        [&] {
                                          calls += "target ";
                                          coordinator.request_stop();
                                        },
                                    .start_loop = [&] { calls += "start "; },
                                    .stop_loop = [&] { calls += "stop"; }});
  looper.start();
  looper.join();
  EXPECT_EQ(calls, "start target stop");
}

// Calls at 0 and 10 s; the second one takes 25 s, so those of 20 and 30 s come at once, and the next is due
// at 40 s.
TEST(LooperThreadTest, CallsComeAtMultiplesOfTheIntervalAndLateOnesAreMadeUpFor) {
  Coordinator coordinator;
  const auto clock = std::make_shared<testkit::ManualClock>();
  std::vector<std::chrono::nanoseconds> times;
  LooperThread looper(coordinator, {.timer_interval = seconds(10),
                                    .target =
                                        [&] {
                                          times.push_back(clock->passed());
                                          if (times.size() == 2) {
                                            clock->advance(seconds(25));
                                          }
                                          if (times.size() == 5) {
                                            coordinator.request_stop();
                                          }
                                        },
                                    .clock = clock});
  looper.start();
  looper.join();
  const std::vector<std::chrono::nanoseconds> expected = {seconds(0), seconds(10), seconds(35), seconds(35),
                                                          seconds(40)};
  EXPECT_EQ(times, expected);
}

TEST(LooperThreadTest, AStopEndsALongPause) {
  Coordinator coordinator;
  const LooperThread looper = LooperThread::loop(coordinator, std::chrono::hours(1), [] {});
  coordinator.request_stop();
  coordinator.join();
  EXPECT_FALSE(looper.is_alive());
}

TEST(LooperThreadTest, NeverStartedItIsNotWaitedFor) {
  Coordinator coordinator;
  const LooperThread looper(coordinator, {.target = [] {}});
  looper.join();
  coordinator.join();
  EXPECT_FALSE(looper.is_alive());
}

TEST(LooperThreadTest, ASecondStartIsAMisuse) {
  Coordinator coordinator;
  LooperThread looper = LooperThread::loop(coordinator, std::nullopt, [&] { coordinator.request_stop(); });
  EXPECT_THROW(looper.start(), Misuse);
  coordinator.join();
}

// Contract LOOP-1.
TEST(LooperThreadTest, ATargetIsNeeded) {
  Coordinator coordinator;
  EXPECT_THROW(LooperThread(coordinator, {}), Error);
}

// Contract LOOP-1.
TEST(LooperThreadTest, ItsCoordinatorJoinsIt) {
  Coordinator coordinator;
  std::atomic<bool> ended{false};
  {
    auto looper = LooperThread(
        coordinator, {.target = [&] { coordinator.request_stop(); }, .stop_loop = [&] { ended = true; }});
    looper.start();
  }
  coordinator.join(seconds(30));
  EXPECT_TRUE(ended);
}

class LooperThreadsTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LooperThreadsTest, testing::Values(1, 2, 8, 64));

// Whoever reaches the count asks for the stop, several at once if it comes so.
TEST_P(LooperThreadsTest, OneStopEndsThemAll) {
  Coordinator coordinator;
  std::atomic<int> calls{0};
  std::atomic<int> ended{0};
  std::vector<std::unique_ptr<LooperThread>> loopers;
  for (int i = 0; i < GetParam(); ++i) {
    loopers.push_back(
        std::make_unique<LooperThread>(coordinator, LooperThread::Options{.target =
                                                                              [&] {
                                                                                if (++calls >= 200) {
                                                                                  coordinator.request_stop();
                                                                                }
                                                                              },
                                                                          .stop_loop = [&] { ++ended; }}));
    loopers.back()->start();
  }
  coordinator.join(seconds(30));
  EXPECT_EQ(ended, GetParam());
  EXPECT_GE(calls, 200);
  EXPECT_LT(calls, 200 + GetParam());
}

// The first error comes out; the others are of threads that were on their way.
TEST_P(LooperThreadsTest, TheErrorOfOneEndsThemAll) {
  Coordinator coordinator;
  std::atomic<int> calls{0};
  std::vector<LooperThread> loopers;
  for (int i = 0; i < GetParam(); ++i) {
    loopers.push_back(LooperThread::loop(coordinator, std::nullopt, [&] {
      if (++calls == 50) {
        throw Error(Code::kInternal, "broken");
      }
    }));
  }
  EXPECT_THROW(coordinator.join(seconds(30)), Error);
  for (const LooperThread& looper : loopers) {
    EXPECT_FALSE(looper.is_alive());
  }
}

}  // namespace
}  // namespace fermata
