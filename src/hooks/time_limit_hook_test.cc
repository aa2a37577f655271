#include "fermata/hooks/time_limit_hook.h"

#include <gtest/gtest.h>

#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/manual_clock.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using namespace std::chrono_literals;
using testkit::HookDriver;
using testkit::ManualClock;

TEST(TimeLimitHookTest, WantsALimit) {
  EXPECT_EQ(thrown_by([] { TimeLimitHook({}); }), "TimeLimitHook: limit must be more than 0 s, but is 0 s");
  EXPECT_EQ(code_thrown_by([] { TimeLimitHook({.limit = -1s}); }), Code::kInvalidArgument);
}

TEST(TimeLimitHookTest, StopsAfterTheRunInWhichTheTimeIsUp) {
  const auto clock = std::make_shared<ManualClock>();
  CounterGraph counter;
  TimeLimitHook hook({.limit = 10s, .clock = clock});
  clock->advance(100s);
  hook.begin(counter.graph);
  HookDriver driver(hook);
  EXPECT_FALSE(driver.run({.during = [&] { clock->advance(9s); }}).stop);
  const auto stop = driver.run({.during = [&] { clock->advance(1s); }}).stop;
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason, StopReason::kDeadline);
  EXPECT_EQ(stop->message, "10.0 s passed, the limit is 10 s");
  EXPECT_EQ(stop->by, "TimeLimitHook");
}

TEST(TimeLimitHookTest, ASecondSessionHasTheWholeTimeAgain) {
  const auto clock = std::make_shared<ManualClock>();
  CounterGraph counter;
  TimeLimitHook hook({.limit = 10s, .clock = clock});
  hook.begin(counter.graph);
  clock->advance(15s);
  hook.begin(counter.graph);
  EXPECT_FALSE(HookDriver(hook).run({}).stop);
}

TEST(TimeLimitHookTest, TheLongestLimitIsNeverReached) {
  const auto clock = std::make_shared<ManualClock>();
  CounterGraph counter;
  TimeLimitHook hook({.limit = std::chrono::nanoseconds::max(), .clock = clock});
  clock->advance(1h);
  hook.begin(counter.graph);
  EXPECT_FALSE(HookDriver(hook).run({}).stop);
}

}  // namespace
}  // namespace fermata
