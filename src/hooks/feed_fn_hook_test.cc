#include "fermata/hooks/feed_fn_hook.h"

#include <gtest/gtest.h>

#include "fermata/monitored_session.h"
#include "fermata/testkit/hook_driver.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using Feeds = std::vector<std::pair<std::string, Tensor>>;
using testkit::HookDriver;

// x2 = 2·x, to be fetched.
struct DoublingGraph {
  DoublingGraph() {
    const Output x = graph.placeholder<float>("x");
    x2 = SessionRunArgs({graph.value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); })});
  }
  native::Graph graph;
  SessionRunArgs x2;
};

TEST(FeedFnHookTest, WantsAFunction) {
  EXPECT_EQ(thrown_by([] { FeedFnHook({}); }),
            "FeedFnHook: feed_fn is missing; give a function that returns what is to be fed");
}

TEST(FeedFnHookTest, FeedsANewValueInEachRun) {
  DoublingGraph doubling;
  float calls = 0;
  auto hook = make_hook<FeedFnHook>({.feed_fn = [&]() -> Feeds {
    return {{"x:0", Tensor::scalar(calls += 1)}};
  }});
  MonitoredSession loop(doubling.graph, {.hooks = {hook}});
  EXPECT_EQ(loop.run(doubling.x2).scalar<float>(0), 2);
  EXPECT_EQ(loop.run(doubling.x2).scalar<float>(0), 4);
  EXPECT_EQ(calls, 2);
}

TEST(FeedFnHookTest, TheSameNamesAreTheSameRequest) {
  FeedFnHook hook({.feed_fn = []() -> Feeds { return {{"x:0", Tensor::scalar(1.0F)}}; }});
  HookDriver driver(hook);
  const SessionRunArgs* first = driver.run({}).request;
  ASSERT_NE(first, nullptr);
  const std::uint64_t id = first->id();
  EXPECT_EQ(driver.run({}).request->id(), id);
}

TEST(FeedFnHookTest, OtherNamesAreAnotherRequest) {
  bool other = false;
  FeedFnHook hook({.feed_fn = [&]() -> Feeds {
    return other ? Feeds{{"y:0", Tensor::scalar(2.0F)}, {"x:0", Tensor::scalar(3.0F)}}
                 : Feeds{{"x:0", Tensor::scalar(1.0F)}};
  }});
  HookDriver driver(hook);
  const std::uint64_t id = driver.run({}).request->id();
  other = true;
  const SessionRunArgs* request = driver.run({}).request;
  EXPECT_NE(request->id(), id);
  ASSERT_EQ(request->feeds().size(), 2U);
  EXPECT_EQ(request->feeds()[0].tensor.name(), "y:0");
  EXPECT_EQ(request->feeds()[0].value.view().scalar<float>(), 2);
  EXPECT_EQ(request->feeds()[1].value.view().scalar<float>(), 3);
}

TEST(FeedFnHookTest, NothingToFeedAddsNothing) {
  FeedFnHook hook({.feed_fn = []() -> Feeds { return {}; }});
  EXPECT_EQ(HookDriver(hook).run({}).request, nullptr);
}

TEST(FeedFnHookTest, ANameGivenTwiceIsAMisuse) {
  FeedFnHook hook({.feed_fn = []() -> Feeds {
    return {{"x:0", Tensor::scalar(1.0F)}, {"x:0", Tensor::scalar(2.0F)}};
  }});
  HookDriver driver(hook);
  EXPECT_THROW(driver.run({}), Misuse);
  EXPECT_THROW(driver.run({}), Misuse);
}

TEST(FeedFnHookTest, AClashWithTheCallerIsAnErrorThatNamesTheTensor) {
  DoublingGraph doubling;
  doubling.x2.feed("x:0", Tensor::scalar(1.0F));
  auto hook = make_hook<FeedFnHook>({.feed_fn = []() -> Feeds { return {{"x:0", Tensor::scalar(2.0F)}}; }});
  MonitoredSession loop(doubling.graph, {.hooks = {hook}});
  const std::string text = thrown_by([&] { loop.run(doubling.x2); });
  EXPECT_NE(text.find("x:0"), std::string::npos) << text;
  EXPECT_NE(text.find("FeedFnHook"), std::string::npos) << text;
}

TEST(FeedFnHookTest, StopIterationEndsTheLoopCleanly) {
  DoublingGraph doubling;
  int calls = 0;
  auto hook = make_hook<FeedFnHook>({.feed_fn = [&]() -> Feeds {
    if (++calls == 3) {
      throw StopIteration();
    }
    return {{"x:0", Tensor::scalar(1.0F)}};
  }});
  MonitoredSession loop(doubling.graph, {.hooks = {hook}});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(doubling.x2); });
  EXPECT_EQ(verdict.reason, StopReason::kEndOfInput);
  EXPECT_EQ(loop.runs(), 2);
}

}  // namespace
}  // namespace fermata
