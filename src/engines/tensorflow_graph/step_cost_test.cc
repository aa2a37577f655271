#include "engines/tensorflow_graph/step_cost.h"

#include <gtest/gtest.h>

namespace fermata::tensorflow {
namespace {

StepPart part(double cost, std::vector<std::size_t> after = {}) {
  return {.cost = {.total = cost, .longest = cost, .operations = 1}, .after = std::move(after)};
}

TEST(StepCostTest, ThePathIsTheLongestOfThoseThatWaitForEachOther) {
  // 0 before 1 and 2, both before 3; 4 by itself, and in no order.
  const std::vector<StepPart> parts = {part(1), part(10, {0}), part(20, {0}), part(2, {2, 1}), part(5)};
  const StepCost cost = add_up(parts);
  EXPECT_DOUBLE_EQ(cost.total, 38);
  EXPECT_DOUBLE_EQ(cost.longest, 23);
  EXPECT_EQ(cost.operations, 5U);
}

TEST(StepCostTest, APartMayBeWideItself) {
  StepPart call = part(0, {0});
  call.cost = {.total = 80, .longest = 10, .operations = 8};
  const StepCost cost = add_up(std::vector<StepPart>{part(5), call});
  EXPECT_DOUBLE_EQ(cost.total, 85);
  EXPECT_DOUBLE_EQ(cost.longest, 15);
  EXPECT_EQ(cost.operations, 9U);
}

TEST(StepCostTest, AStepOfNothingCostsNothing) {
  EXPECT_DOUBLE_EQ(add_up({}).longest, 0);
  EXPECT_FALSE(gains_by_threads({}, 8));
}

constexpr double kMillisecond = 1e6;

TEST(StepCostTest, WideAndHeavyStepsGainByThreads) {
  const StepCost wide = {.total = 8 * kMillisecond, .longest = kMillisecond, .operations = 200};
  EXPECT_TRUE(gains_by_threads(wide, 2));
  EXPECT_FALSE(gains_by_threads(wide, 1));
}

TEST(StepCostTest, ChainsAndLightStepsDoNot) {
  EXPECT_FALSE(
      gains_by_threads({.total = 8 * kMillisecond, .longest = 7.9 * kMillisecond, .operations = 50}, 8));
  EXPECT_FALSE(gains_by_threads({.total = 30'000, .longest = 3'000, .operations = 50}, 8));
  // What it would gain is less than what handing on so many operations costs.
  EXPECT_FALSE(gains_by_threads({.total = 200'000, .longest = 20'000, .operations = 1000}, 2));
}

}  // namespace
}  // namespace fermata::tensorflow
