#include "cli/screen.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

TEST(ScreenTest, AStatusLineMakesRoomForOthers) {
  testing::internal::CaptureStdout();
  {
    Screen screen(false);
    screen.status("step 1");
    screen.line("a line");
    screen.status("step 2");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "step 1\r\x1b[Ka line\nstep 1\r\x1b[Kstep 2\r\x1b[K");
}

TEST(ScreenTest, MessagesGoToStderrWithTheirKind) {
  testing::internal::CaptureStderr();
  Screen screen(false);
  screen.message(LogLevel::kInfo, "saved");
  screen.message(LogLevel::kWarning, "damaged");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "saved\nwarning: damaged\n");
}

TEST(ScreenTest, WhenQuietOnlyWarningsAreLeft) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Screen screen(true);
  screen.line("a line");
  screen.message(LogLevel::kInfo, "saved");
  screen.message(LogLevel::kWarning, "damaged");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: damaged\n");
}

TEST(ScreenTest, TheLibrarysMessagesComeHereWhileItIsAsked) {
  testing::internal::CaptureStderr();
  {
    const LogToScreen messages(std::make_shared<Screen>(false));
    log(LogLevel::kInfo, "inside");
  }
  log(LogLevel::kInfo, "outside");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "inside\nINFO outside\n");
}

}  // namespace
}  // namespace fermata::cli
