#include "cli/step_rate.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

using std::chrono::seconds;

StepRate::TimePoint at(int second) { return StepRate::TimePoint(seconds(second)); }

TEST(StepRateTest, NeedsTwoSamples) {
  StepRate rate;
  EXPECT_EQ(rate.steps_per_second(), std::nullopt);
  rate.add(at(1), 10);
  EXPECT_EQ(rate.steps_per_second(), std::nullopt);
  rate.add(at(1), 20);
  EXPECT_EQ(rate.steps_per_second(), std::nullopt);
  rate.add(at(3), 30);
  EXPECT_EQ(rate.steps_per_second(), 10);
}

TEST(StepRateTest, ForgetsWhatIsLongAgo) {
  StepRate rate(seconds(10));
  rate.add(at(0), 0);
  rate.add(at(100), 100);
  rate.add(at(105), 1100);
  rate.add(at(110), 2100);
  EXPECT_EQ(rate.steps_per_second(), 200);
}

TEST(StepRateTest, SlowStepsAreMeasuredTooHoweverSlow) {
  StepRate rate(seconds(10));
  rate.add(at(0), 1);
  rate.add(at(50), 2);
  rate.add(at(100), 3);
  EXPECT_EQ(rate.steps_per_second(), 0.02);
}

TEST(StepRateTest, AStepBackStartsAgain) {
  StepRate rate;
  rate.add(at(0), 0);
  rate.add(at(1), 100);
  rate.add(at(2), 50);
  EXPECT_EQ(rate.steps_per_second(), std::nullopt);
  rate.add(at(3), 60);
  EXPECT_EQ(rate.steps_per_second(), 10);
}

}  // namespace
}  // namespace fermata::cli
