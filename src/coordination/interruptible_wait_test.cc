#include "coordination/interruptible_wait.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "fermata/stop_on_signal.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata {
namespace {

constexpr std::chrono::hours kVeryLong{24 * 365 * 20};

TEST(InterruptibleWaitTest, NothingToWaitForIsNoInterruption) {
  EXPECT_FALSE(interruptible_wait(std::chrono::nanoseconds(0), std::stop_token()));
  EXPECT_FALSE(interruptible_wait(std::chrono::milliseconds(1), std::stop_token()));
}

TEST(InterruptibleWaitTest, AStopThatCameBeforeEndsItAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(interruptible_wait(kVeryLong, stop.get_token()));
}

TEST(InterruptibleWaitTest, AStopFromAnotherThreadEndsIt) {
  std::stop_source stop;
  std::thread other([&stop] { stop.request_stop(); });
  EXPECT_TRUE(interruptible_wait(kVeryLong, stop.get_token()));
  other.join();
}

TEST(InterruptibleWaitTest, AWatchedSignalEndsIt) {
  const StopOnSignal watched;
  std::raise(SIGTERM);
  EXPECT_TRUE(interruptible_wait(kVeryLong, std::stop_token()));
}

TEST(InterruptibleWaitTest, AClockMovedByHandTakesNoTime) {
  testkit::ManualClock clock;
  EXPECT_FALSE(interruptible_wait(clock, kVeryLong, std::stop_token()));
  EXPECT_EQ(clock.passed(), kVeryLong);
}

TEST(InterruptibleWaitTest, AStopDuringAPauseOfSuchAClockIsSeen) {
  testkit::ManualClock clock;
  std::stop_source stop;
  clock.on_pause([&stop](std::chrono::nanoseconds) { stop.request_stop(); });
  EXPECT_TRUE(interruptible_wait(clock, kVeryLong, stop.get_token()));
}

}  // namespace
}  // namespace fermata
