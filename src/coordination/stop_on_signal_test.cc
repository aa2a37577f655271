#include "fermata/stop_on_signal.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "fermata/error.h"

namespace fermata {
namespace {

int earlier_handler_calls = 0;
void earlier_handler(int /*signal*/) { ++earlier_handler_calls; }

TEST(StopOnSignalTest, TheFirstSignalIsNoted) {
  const StopOnSignal watch;
  EXPECT_EQ(StopOnSignal::received(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(StopOnSignal::received(), SIGTERM);
}

// report LC-15
TEST(StopOnSignalTest, TheSecondSignalEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        const StopOnSignal watch;
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::exit(0);
      },
      testing::ExitedWithCode(130), "");
}

// report RE-09
TEST(StopOnSignalTest, EarlierHandlersComeBack) {
  earlier_handler_calls = 0;
  std::signal(SIGTERM, &earlier_handler);
  { const StopOnSignal watch; }
  std::raise(SIGTERM);
  std::signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(earlier_handler_calls, 1);
  EXPECT_EQ(StopOnSignal::received(), 0);
}

TEST(StopOnSignalTest, OnlyOneWatches) {
  const StopOnSignal watch;
  EXPECT_THROW(StopOnSignal(), Misuse);
}

}  // namespace
}  // namespace fermata
