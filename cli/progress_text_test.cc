#include "cli/progress_text.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

ProgressState halfway() {
  return {.step = 1000, .start = 0, .target = 2000, .steps_per_second = 500.0, .values = "loss 0.25"};
}

TEST(ProgressTextTest, ALineSaysItAll) {
  EXPECT_EQ(progress_line(halfway()), "step 1000/2000  loss 0.25  500 steps/s  2 s left");
}

TEST(ProgressTextTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(progress_line({.step = 7}), "step 7");
  EXPECT_EQ(progress_bar({.step = 7}, 80), "step 7");
}

TEST(ProgressTextTest, ABarFillsFromStartToTarget) {
  EXPECT_EQ(progress_bar(halfway(), 200),
            "step 1000/2000 [============>           ]  50%  500 steps/s  2 s left  loss 0.25");
  EXPECT_EQ(progress_bar({.step = 1500, .start = 1000, .target = 2000}, 200),
            "step 1500/2000 [============>           ]  50%");
  EXPECT_EQ(progress_bar({.step = 2000, .target = 2000}, 200),
            "step 2000/2000 [========================] 100%");
}

TEST(ProgressTextTest, ABarIsCutBetweenCharacters) {
  EXPECT_EQ(progress_bar(halfway(), 10), "step 1000/");
  EXPECT_EQ(progress_bar({.step = 1, .values = "é"}, 9), "step 1  ");
}

TEST(ProgressTextTest, TheNearerEndCounts) {
  ProgressState state = halfway();
  EXPECT_EQ(seconds_left(state), 2);
  state.seconds_to_deadline = 1.5;
  EXPECT_EQ(seconds_left(state), 1.5);
  state.seconds_to_deadline = 60;
  EXPECT_EQ(seconds_left(state), 2);
}

}  // namespace
}  // namespace fermata::cli
