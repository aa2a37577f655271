#include "session/recovery_attempts.h"

#include <gtest/gtest.h>

#include "fermata/testkit/manual_clock.h"

namespace fermata {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(RecoveryAttemptsTest, PausesDoubleUpToTheLongest) {
  RecoveryAttempts attempts({.max_attempts = 10, .first_pause = seconds(1), .max_pause = seconds(4)},
                            std::make_shared<testkit::ManualClock>());
  for (const int expected : {1, 2, 4, 4}) {
    const auto pause = attempts.next();
    ASSERT_TRUE(pause);
    EXPECT_GE(*pause, milliseconds(750 * expected));
    EXPECT_LE(*pause, milliseconds(1250 * expected));
  }
}

TEST(RecoveryAttemptsTest, NoMoreThanAllowedWithinTheWindow) {
  const auto clock = std::make_shared<testkit::ManualClock>();
  RecoveryAttempts attempts({.max_attempts = 2, .window = minutes(1)}, clock);
  EXPECT_TRUE(attempts.next());
  EXPECT_TRUE(attempts.next());
  EXPECT_FALSE(attempts.next());
  clock->advance(minutes(2));
  EXPECT_TRUE(attempts.next());
}

TEST(RecoveryAttemptsTest, ZeroMeansNever) {
  EXPECT_FALSE(RecoveryAttempts({.max_attempts = 0}, std::make_shared<testkit::ManualClock>()).next());
}

}  // namespace
}  // namespace fermata
