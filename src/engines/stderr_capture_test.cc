#include "engines/stderr_capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace fermata::tensorflow {
namespace {

TEST(StderrCaptureTest, GivesBackWhatWasWritten) {
  StderrCapture capture;
  ASSERT_EQ(::write(STDERR_FILENO, "a line\n", 7), 7);
  EXPECT_EQ(capture.finish(), "a line\n");
  EXPECT_EQ(capture.finish(), "");
}

TEST(StderrCaptureTest, PutsStderrBack) {
  testing::internal::CaptureStderr();
  { StderrCapture capture; }
  ASSERT_EQ(::write(STDERR_FILENO, "seen\n", 5), 5);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "seen\n");
}

TEST(StderrCaptureTest, OnlyStartupLinesAreDropped) {
  EXPECT_EQ(without_startup_lines("2026-01-01 I port.cc:153] oneDNN custom operations are on. You may see\n"
                                  "\n"
                                  "E something is wrong\n"
                                  "I0000 cpu_feature_guard.cc:227] This TensorFlow binary is optimized\n"
                                  "and more"),
            "E something is wrong\nand more");
}

}  // namespace
}  // namespace fermata::tensorflow
