#include "fermata/hooks/final_ops_hook.h"

#include <gtest/gtest.h>

#include "fermata/monitored_session.h"
#include "fermata/testkit/log_capture.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::LogCapture;

TEST(FinalOpsHookTest, HasTheLastValuesAfterACleanEnd) {
  CounterGraph counter;
  auto hook = make_hook<FinalOpsHook>({.final_ops = {"w:0", "c:0"}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.run(counter.args);
  loop.run(counter.args);
  EXPECT_EQ(hook->final_ops_values(), std::nullopt);
  loop.close();
  ASSERT_TRUE(hook->final_ops_values());
  EXPECT_EQ(hook->final_ops_values()->at(0).view().scalar<float>(), 2);
  EXPECT_EQ(hook->final_ops_values()->at(1).view().scalar<float>(), 1.5F);
}

TEST(FinalOpsHookTest, FeedsWhatItWasGiven) {
  CounterGraph counter;
  const Output x = counter.graph.placeholder<float>("x");
  counter.graph.value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); });
  auto hook = make_hook<FinalOpsHook>(
      {.final_ops = {"x2:0"}, .final_ops_feed_dict = {{"x:0", Tensor::scalar(21.0F)}}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.close();
  EXPECT_EQ(hook->final_ops_values()->at(0).view().scalar<float>(), 42);
}

TEST(FinalOpsHookTest, AnOperationIsRunAndHasNoValue) {
  CounterGraph counter;
  int cleaned = 0;
  counter.graph.operation("clean_up", {}, [&](native::StepOutputs&) { ++cleaned; });
  auto hook = make_hook<FinalOpsHook>({.final_ops = {"clean_up"}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.close();
  EXPECT_EQ(cleaned, 1);
  EXPECT_FALSE(hook->final_ops_values()->at(0).has_value());
}

TEST(FinalOpsHookTest, NothingToDoDoesNothing) {
  CounterGraph counter;
  auto hook = make_hook<FinalOpsHook>();
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.close();
  EXPECT_EQ(hook->final_ops_values(), std::nullopt);
}

TEST(FinalOpsHookTest, AUsedUpInputIsWarnedAboutAndLeavesClose) {
  CounterGraph counter;
  counter.graph.value("input", {}, [](native::Inputs) -> float { throw StopIteration("no more rows"); });
  auto hook = make_hook<FinalOpsHook>({.final_ops = {"input:0"}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  LogCapture log;
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "no more rows");
  EXPECT_EQ(log.lines(), Lines{"WARNING FinalOpsHook: the final ops need input, and it is used up; let them "
                               "depend on no input source"});
  EXPECT_EQ(hook->final_ops_values(), std::nullopt);
}

TEST(FinalOpsHookTest, AnotherErrorLeavesCloseWithoutAWarning) {
  CounterGraph counter;
  counter.graph.value("broken", {}, [](native::Inputs) -> float { throw std::runtime_error("broken"); });
  MonitoredSession loop(counter.graph, {.hooks = {make_hook<FinalOpsHook>({.final_ops = {"broken:0"}})}});
  LogCapture log;
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "broken");
  EXPECT_EQ(log.lines(), Lines{});
}

TEST(FinalOpsHookTest, AFailureLeavesNoValues) {
  CounterGraph counter;
  auto hook = make_hook<FinalOpsHook>({.final_ops = {"w:0"}});
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  loop.abort(std::make_exception_ptr(std::runtime_error("failed")));
  EXPECT_EQ(hook->final_ops_values(), std::nullopt);
}

TEST(FinalOpsHookTest, ASecondSessionForgetsTheValuesOfTheFirst) {
  CounterGraph counter;
  auto hook = make_hook<FinalOpsHook>({.final_ops = {"w:0"}});
  MonitoredSession(counter.graph, {.hooks = {hook}}).close();
  ASSERT_TRUE(hook->final_ops_values());
  MonitoredSession loop(counter.graph, {.hooks = {hook}});
  EXPECT_EQ(hook->final_ops_values(), std::nullopt);
}

}  // namespace
}  // namespace fermata
