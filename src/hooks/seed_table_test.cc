// What StopAtStepHook and the hook interface promise, row by row of the table they began with.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fermata/error.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/monitored_session.h"
#include "fermata/testkit/recording_hook.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::Callback;
using testkit::CallbackArguments;
using testkit::RecordingHook;

class SeedTableTest : public testing::Test {
 protected:
  std::shared_ptr<RecordingHook> recorder(RecordingHook::Options options = {}) {
    options.name = "h1";
    options.trace = trace_;
    return std::make_shared<RecordingHook>(std::move(options));
  }

  CounterGraph counter_;
  std::shared_ptr<testkit::Trace> trace_ = std::make_shared<testkit::Trace>();
};

// StopAtStepHook(num_steps=None, last_step=None)
TEST_F(SeedTableTest, StopAtStepHookTakesNumStepsOrLastStepByName) {
  const StopAtStepHook by_count({.num_steps = 100});
  EXPECT_EQ(by_count.last_step(), std::nullopt);
  const std::shared_ptr<StopAtStepHook> absolute = make_hook<StopAtStepHook>({.last_step = 10'000});
  EXPECT_EQ(absolute->last_step(), 10'000);
}

TEST_F(SeedTableTest, StopAtStepHookWithNeitherOrBothIsAnInvalidArgument) {
  EXPECT_EQ(code_thrown_by([] { StopAtStepHook({}); }), Code::kInvalidArgument);
  EXPECT_EQ(code_thrown_by([] { StopAtStepHook({.num_steps = 1, .last_step = 1}); }), Code::kInvalidArgument);
}

// requests stop after either a number of steps or at a last step
TEST_F(SeedTableTest, NumStepsCountsFromBeginAndLastStepIsAbsolute) {
  const auto run = [this](StopAtStepHook::Options options) {
    MonitoredSession loop(counter_.graph, {.hooks = {make_hook<StopAtStepHook>(options)}});
    // The init of a session sets the step to 0; a restored one would be where this sets it.
    counter_.graph.set_global_step(0);
    return loop.run_until_stopped([&] { loop.run(counter_.args); }).step;
  };
  EXPECT_EQ(run({.num_steps = 3}), 3);
  EXPECT_EQ(run({.last_step = 5}), 5);
}

// begin(): once before the session; the graph may be changed
TEST_F(SeedTableTest, BeginComesOnceBeforeTheSessionAndMayChangeTheGraph) {
  auto hook = recorder();
  hook->at(Callback::kBegin, [](const CallbackArguments& a) {
    EXPECT_FALSE(a.graph->finalized());
    dynamic_cast<native::Graph&>(*a.graph).constant("added", 7.0F);
  });
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  EXPECT_EQ(trace_->lines(), (Lines{"h1.begin", "h1.after_create_session"}));
  EXPECT_EQ(loop.run(SessionRunArgs({"added:0"})).scalar<float>(0), 7);
  EXPECT_EQ(hook->calls(Callback::kBegin), 1U);
}

TEST_F(SeedTableTest, AfterBeginTheGraphIsFinalized) {
  MonitoredSession loop(counter_.graph, {.hooks = {recorder()}});
  EXPECT_THROW(counter_.graph.constant("late", 1.0F), Misuse);
}

// a second begin on the same graph changes nothing
TEST_F(SeedTableTest, ASecondBeginOnTheSameGraphChangesNothing) {
  StopAtStepHook hook({.last_step = 1});
  const std::size_t before = counter_.graph.operations().size();
  hook.begin(counter_.graph);
  const std::size_t after_first = counter_.graph.operations().size();
  hook.begin(counter_.graph);
  EXPECT_EQ(after_first, before);
  EXPECT_EQ(counter_.graph.operations().size(), after_first);
}

// after_create_session(session, coord): the graph is final, ops cannot be added
TEST_F(SeedTableTest, AfterCreateSessionSeesAFinalGraphAndACoordinator) {
  auto hook = recorder();
  hook->at(Callback::kAfterCreateSession, [](const CallbackArguments& a) {
    EXPECT_TRUE(a.graph->finalized());
    EXPECT_THROW(dynamic_cast<native::Graph&>(*a.graph).constant("late", 1.0F), Misuse);
    EXPECT_NE(a.coordinator, nullptr);
    EXPECT_EQ(a.session->read_step(), 0);
  });
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  EXPECT_EQ(hook->calls(Callback::kAfterCreateSession), 1U);
}

// also called when a wrapped session is recovered
TEST_F(SeedTableTest, AfterCreateSessionComesAgainWhenASessionIsRecovered) {
  auto hook = recorder();
  counter_.next_loss = [](int run) {
    return run == 2 ? throw Error(Code::kAborted, "gone", ErrorSource::kEngine) : 1.0F;
  };
  MonitoredSession loop(counter_.graph,
                        {.hooks = {hook}, .recovery = {.first_pause = std::chrono::nanoseconds(0)}});
  loop.run(counter_.args);
  loop.run(counter_.args);
  EXPECT_EQ(hook->calls(Callback::kBegin), 1U);
  EXPECT_EQ(hook->calls(Callback::kAfterCreateSession), 2U);
}

// before_run(run_context): may return fetches, feeds and options that are added to the run
TEST_F(SeedTableTest, BeforeRunAddsFetchesFeedsAndOptionsToTheRun) {
  const Output x = counter_.graph.placeholder<float>("x");
  const Output x2 =
      counter_.graph.value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); });
  SessionRunArgs request({x2});
  request.feed(x, Tensor::scalar(4.0F));
  RunOptions options;
  options.timeout = std::chrono::hours(1);
  request.set_options(options);
  auto hook = recorder({.request = request});
  hook->at(Callback::kAfterRun,
           [](const CallbackArguments& a) { EXPECT_EQ(a.values->options().timeout, std::chrono::hours(1)); });
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  loop.run(counter_.args);
  EXPECT_EQ(trace_->lines().back(), "h1.after_run step=1 results=[8]");
}

TEST_F(SeedTableTest, BeforeRunReturnsNullForNothing) {
  StopAtStepHook hook({.last_step = 1});
  SessionRunContext context;
  const SessionRunArgs* request = hook.before_run(context);
  EXPECT_EQ(request, nullptr);
}

// after_run(run_context, run_values): run_context.request_stop()
TEST_F(SeedTableTest, AfterRunMayRequestAStop) {
  auto hook = recorder();
  hook->at(Callback::kAfterRun, 2, [](const CallbackArguments& a) { a.context->request_stop("enough"); });
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(counter_.args); });
  EXPECT_EQ(verdict.to_string(), "stop requested at step 2 (h1): enough");
}

// after_run is not called if the run raises
TEST_F(SeedTableTest, AfterRunIsNotCalledIfTheRunThrows) {
  counter_.next_loss = [](int) -> float { throw std::runtime_error("broken"); };
  auto hook = recorder();
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  EXPECT_EQ(thrown_by([&] { loop.run(counter_.args); }), "broken");
  EXPECT_EQ(hook->calls(Callback::kBeforeRun), 1U);
  EXPECT_EQ(hook->calls(Callback::kAfterRun), 0U);
}

// end(session): at the end of a session, also on OutOfRange and StopIteration, not on other exceptions
TEST_F(SeedTableTest, EndIsCalledOnceAtTheEndWithTheSessionStillOpen) {
  auto hook = recorder();
  hook->at(Callback::kEnd, [](const CallbackArguments& a) { EXPECT_FALSE(a.session->closed()); });
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  loop.close();
  loop.close();
  EXPECT_EQ(hook->calls(Callback::kEnd), 1U);
}

TEST_F(SeedTableTest, EndIsCalledOnOutOfRangeAndStopIteration) {
  const std::vector<std::exception_ptr> ends = {
      std::make_exception_ptr(StopIteration()),
      std::make_exception_ptr(Error(Code::kOutOfRange, "no more rows", ErrorSource::kEngine))};
  for (const std::exception_ptr& end : ends) {
    CounterGraph counter;
    counter.next_loss = [&](int) -> float { std::rethrow_exception(end); };
    auto hook = recorder();
    MonitoredSession loop(counter.graph, {.hooks = {hook}});
    EXPECT_EQ(loop.run_until_stopped([&] { loop.run(counter.args); }).reason, StopReason::kEndOfInput);
    EXPECT_EQ(hook->calls(Callback::kEnd), 1U);
  }
}

TEST_F(SeedTableTest, EndIsNotCalledOnOtherExceptions) {
  counter_.next_loss = [](int) -> float { throw std::runtime_error("broken"); };
  auto hook = recorder();
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(counter_.args); }); }), "broken");
  EXPECT_EQ(hook->calls(Callback::kEnd), 0U);
}

// plus finished(verdict), which is always called
TEST_F(SeedTableTest, FinishedIsCalledOnceAfterACleanEndAndAfterAFailure) {
  auto hook = recorder();
  MonitoredSession(counter_.graph, {.hooks = {hook}}).close();
  EXPECT_EQ(trace_->take().back(), "h1.finished requested step=0");
  CounterGraph broken;
  broken.next_loss = [](int) -> float { throw std::runtime_error("broken"); };
  auto other = recorder();
  MonitoredSession loop(broken.graph, {.hooks = {other}});
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(broken.args); }); }), "broken");
  EXPECT_EQ(trace_->take().back(), "h1.finished failure step=0");
  EXPECT_EQ(other->calls(Callback::kFinished), 1U);
}

}  // namespace
}  // namespace fermata
