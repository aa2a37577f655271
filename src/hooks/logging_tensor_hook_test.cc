#include "fermata/hooks/logging_tensor_hook.h"

#include <gtest/gtest.h>

#include "fermata/monitored_session.h"
#include "fermata/testkit/hook_driver.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::HookDriver;
using testkit::LogCapture;
using testkit::ManualClock;

// The loss of run n is n.
class LoggingTensorHookTest : public testing::Test {
 protected:
  LoggingTensorHookTest() {
    counter_.next_loss = [](int run) { return static_cast<float>(run); };
  }

  LoggingTensorHook::Options options() { return {.tensors = {{"loss", "train:0"}}, .clock = clock_}; }

  // Runs `runs` times; each run takes `seconds`, and `between` passes before each but the first.
  Lines logged(LoggingTensorHook::Options options, int runs, double seconds = 0, double between = 0) {
    MonitoredSession loop(counter_.graph, {.hooks = {make_hook<LoggingTensorHook>(std::move(options))}});
    counter_.next_loss = [this, seconds](int run) {
      clock_->advance_seconds(seconds);
      return static_cast<float>(run);
    };
    for (int i = 0; i < runs; ++i) {
      clock_->advance_seconds(i == 0 ? 0 : between);
      loop.run(counter_.args);
    }
    loop.close();
    return log_.take();
  }

  CounterGraph counter_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  LogCapture log_;
};

TEST_F(LoggingTensorHookTest, WantsOneInterval) {
  EXPECT_EQ(
      thrown_by([] { LoggingTensorHook({}); }),
      "LoggingTensorHook: exactly one of every_n_iter and every_n_secs must be given, but neither was; to "
      "log only at the end set at_end");
  for (const bool at_end : {false, true}) {
    EXPECT_EQ(thrown_by([&] { LoggingTensorHook({.every_n_iter = 1, .every_n_secs = 1, .at_end = at_end}); }),
              "LoggingTensorHook: exactly one of every_n_iter and every_n_secs must be given, but both were");
  }
}

TEST_F(LoggingTensorHookTest, RefusesIntervalsOfNoLength) {
  EXPECT_EQ(thrown_by([] { LoggingTensorHook({.every_n_iter = -10}); }),
            "LoggingTensorHook: every_n_iter must be more than 0, but is -10");
  EXPECT_EQ(code_thrown_by([] { LoggingTensorHook({.every_n_iter = 0}); }), Code::kInvalidArgument);
  EXPECT_EQ(thrown_by([] { LoggingTensorHook({.every_n_secs = -1.5}); }),
            "LoggingTensorHook: every_n_secs must be more than 0, but is -1.5");
}

TEST_F(LoggingTensorHookTest, EveryTenRunsLogsRuns1And11And21And31) {
  LoggingTensorHook::Options every_10 = options();
  every_10.every_n_iter = 10;
  EXPECT_EQ(logged(every_10, 32, 0.5),
            (Lines{"INFO loss = 1.0", "INFO loss = 11.0 (5.000 sec)", "INFO loss = 21.0 (5.000 sec)",
                   "INFO loss = 31.0 (5.000 sec)"}));
}

TEST_F(LoggingTensorHookTest, EverySecondCountsFromTheLineBefore) {
  LoggingTensorHook::Options every_second = options();
  every_second.every_n_secs = 1;
  EXPECT_EQ(logged(every_second, 5, 0, 0.5),
            (Lines{"INFO loss = 1.0", "INFO loss = 3.0 (1.000 sec)", "INFO loss = 5.0 (1.000 sec)"}));
}

// The clock is asked before a run and noted after it.
TEST_F(LoggingTensorHookTest, TimeInsideARunCountsForTheNext) {
  LoggingTensorHook::Options every_second = options();
  every_second.every_n_secs = 1;
  EXPECT_EQ(logged(every_second, 5, 0.5), (Lines{"INFO loss = 1.0", "INFO loss = 4.0 (1.500 sec)"}));
}

TEST_F(LoggingTensorHookTest, CountsRunsNotSteps) {
  CounterGraph by_five(5);
  by_five.next_loss = [](int run) { return static_cast<float>(run); };
  LoggingTensorHook::Options every_2 = options();
  every_2.every_n_iter = 2;
  MonitoredSession loop(by_five.graph, {.hooks = {make_hook<LoggingTensorHook>(every_2)}});
  for (int i = 0; i < 4; ++i) {
    loop.run(by_five.args);
  }
  EXPECT_EQ(log_.take(), (Lines{"INFO loss = 1.0", "INFO loss = 3.0 (0.000 sec)"}));
}

// Contract TIMER-9.
TEST_F(LoggingTensorHookTest, AtEndOnlyLogsOnceWithoutATime) {
  LoggingTensorHook hook({.tensors = {{"", "w:0"}}, .at_end = true});
  EXPECT_TRUE(hook.announced().empty());
  EXPECT_EQ(logged({.tensors = {{"", "w:0"}}, .at_end = true}, 3), Lines{"INFO w:0 = 3.0"});
}

TEST_F(LoggingTensorHookTest, AtEndLogsAlsoWhatWasJustLogged) {
  LoggingTensorHook::Options options{
      .tensors = {{"w", "w:0"}}, .every_n_iter = 2, .at_end = true, .clock = clock_};
  // Fetched with the step, `w` is the value before it.
  EXPECT_EQ(logged(options, 3),
            (Lines{"INFO w = 0.0", "INFO w = 2.0 (0.000 sec)", "INFO w = 3.0 (0.000 sec)"}));
}

TEST_F(LoggingTensorHookTest, AtEndATensorThatNeedsAFeedFailsTheClose) {
  counter_.graph.placeholder<float>("x");
  MonitoredSession loop(
      counter_.graph, {.hooks = {make_hook<LoggingTensorHook>({.tensors = {{"", "x:0"}}, .at_end = true})}});
  EXPECT_EQ(code_thrown_by([&] { loop.close(); }), Code::kInvalidArgument);
}

TEST_F(LoggingTensorHookTest, KeepsTheGivenOrderAndTagsNamesByThemselves) {
  const Output c = counter_.graph.tensor("c:0");
  EXPECT_EQ(logged({.tensors = {{"zz", "vec"}, {"", c}, {"", "w"}}, .every_n_iter = 1}, 1),
            Lines{"INFO zz = [1 2 3], c:0 = 1.5, w = 0.0"});
}

TEST_F(LoggingTensorHookTest, AFormatterMakesTheWholeLine) {
  LoggingTensorHook::Options options{.tensors = {{"loss", "train:0"}, {"c", "c:0"}}, .every_n_iter = 1};
  options.formatter = [](const std::vector<std::pair<std::string, TensorView>>& values) {
    return fmt::format("{} of {}: {}", values[0].first, values.size(), values[0].second.scalar<float>());
  };
  EXPECT_EQ(logged(options, 2), (Lines{"INFO loss of 2: 1", "INFO loss of 2: 2"}));
}

TEST_F(LoggingTensorHookTest, NoNumberIsTurnedIntoSomethingElse) {
  counter_.graph.constant("tiny", 1e-7F);
  counter_.graph.constant("flag", Tensor::scalar(true));
  counter_.graph.constant("label", Tensor::string_scalar("text"));
  counter_.next_loss = [](int) { return 0.25F; };
  EXPECT_EQ(logged({.tensors = {{"", "tiny"}, {"", "flag"}, {"", "label"}}, .every_n_iter = 1}, 1),
            Lines{"INFO tiny = 1e-07, flag = true, label = text"});
}

TEST_F(LoggingTensorHookTest, UnknownNamesFailInBegin) {
  LoggingTensorHook hook({.tensors = {{"", "lost:0"}}, .every_n_iter = 1});
  EXPECT_EQ(code_thrown_by([&] { hook.begin(counter_.graph); }), Code::kNotFound);
}

TEST_F(LoggingTensorHookTest, ANameOfSeveralOutputsIsAmbiguous) {
  counter_.graph.operation("pair", {.outputs = {"a", "b"}}, [](native::StepOutputs& out) {
    out.set("a", 1.0F);
    out.set("b", 2.0F);
  });
  LoggingTensorHook hook({.tensors = {{"", "pair"}}, .every_n_iter = 1});
  EXPECT_EQ(
      thrown_by([&] { hook.begin(counter_.graph); }),
      "LoggingTensorHook: 'pair' is ambiguous, since this operation has 2 outputs; write 'pair:0' for the "
      "first of them");
  EXPECT_EQ(code_thrown_by([&] { hook.begin(counter_.graph); }), Code::kInvalidArgument);
  EXPECT_EQ(logged({.tensors = {{"", "pair:1"}}, .every_n_iter = 1}, 1), Lines{"INFO pair:1 = 2.0"});
}

TEST_F(LoggingTensorHookTest, AnOperationWithoutOutputsIsNoTensor) {
  const Operation group = counter_.graph.group("all", {counter_.train});
  LoggingTensorHook hook({.tensors = {{"", group}}, .every_n_iter = 1});
  EXPECT_EQ(thrown_by([&] { hook.begin(counter_.graph); }),
            "LoggingTensorHook: 'all' is an operation without outputs, but a tensor is needed");
}

TEST_F(LoggingTensorHookTest, ATensorOfAnotherGraphIsRefused) {
  CounterGraph other;
  LoggingTensorHook hook({.tensors = {{"", other.graph.tensor("c:0")}}, .every_n_iter = 1});
  EXPECT_EQ(
      thrown_by([&] { hook.begin(counter_.graph); }),
      "LoggingTensorHook: 'c:0' belongs to another graph than the session; take it from the graph that is "
      "trained");
}

TEST_F(LoggingTensorHookTest, ARunThatIsNotDueAsksForNothing) {
  LoggingTensorHook hook({.tensors = {{"", "c:0"}}, .every_n_iter = 2});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::scalar(1.5F)}; };
  const SessionRunArgs* first = driver.run({.results = results}).request;
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(driver.run({}).request, nullptr);
  // The same object as before, and one of those announced.
  EXPECT_EQ(driver.run({.results = results}).request, first);
  EXPECT_EQ(hook.announced(), std::vector<const SessionRunArgs*>{first});
}

TEST_F(LoggingTensorHookTest, ASecondBeginStartsAnewAndANewSessionAloneDoesNot) {
  LoggingTensorHook hook({.tensors = {{"", "c:0"}}, .every_n_iter = 3, .clock = clock_});
  hook.begin(counter_.graph);
  HookDriver driver(hook);
  const auto results = [](const SessionRunArgs&) { return std::vector<Tensor>{Tensor::scalar(1.5F)}; };
  driver.run({.results = results});
  const auto session = counter_.session();
  hook.after_create_session(*session, nullptr);
  EXPECT_EQ(driver.run({}).request, nullptr);
  hook.begin(counter_.graph);
  driver.run({.results = results});
  EXPECT_EQ(log_.take(), (Lines{"INFO c:0 = 1.5", "INFO c:0 = 1.5"}));
}

}  // namespace
}  // namespace fermata
