#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engines/tensorflow/plugin_fixture.h"

namespace fermata::tensorflow_plugin {
namespace {

using testing::StartsWith;

constexpr int kCancelled = 1;
constexpr int kDeadlineExceeded = 4;
constexpr int kOutOfRange = 11;

// A queue of floats with what is done to it.
struct Queue {
  Queue(TestGraph& graph, const std::string& name, FermataOutput value)
      : queue(graph.add("FIFOQueueV2", name, {},
                        {{"component_types", types_attr(kFloat)}, {"shared_name", string_attr(name)}})) {
    enqueue = with_list(graph, "QueueEnqueueV2", name + "/enqueue", {queue}, value);
    dequeue =
        graph.add("QueueDequeueV2", name + "/dequeue", {queue}, {{"component_types", types_attr(kFloat)}});
    close = graph.add("QueueCloseV2", name + "/close", {queue});
  }

  static FermataOutput with_list(TestGraph& graph, const std::string& type, const std::string& name,
                                 FermataOutput first, FermataOutput listed) {
    void* added = nullptr;
    EXPECT_EQ(text_of(graph.try_add(type, name, {{&first, 1, 0}, {&listed, 1, 1}}, {}, {}, &added)), "");
    return {added, 0};
  }

  FermataOutput queue;
  FermataOutput enqueue;
  FermataOutput dequeue;
  FermataOutput close;
};

struct Queues {
  TestGraph graph;
  FermataOutput value =
      graph.add("Const", "value", {}, {{"value", float_tensor_attr(5)}, {"dtype", type_attr(kFloat)}});
  Queue filled{graph, "filled", value};
  Queue empty{graph, "empty", value};
  TestSession session{graph};
};

TEST(PluginThreadTest, ClosingEndsARunThatWaits) {
  Queues queues;
  // The run says that it has begun by its entry in one queue, and then waits for one in the other.
  const TestPlan waiting(queues.session,
                         {.fetches = {queues.empty.dequeue}, .targets = {queues.filled.enqueue.operation}});
  const TestPlan begun(queues.session, {.fetches = {queues.filled.dequeue}});
  FermataStatus ended;
  std::thread waiter([&] { ended = TestOutputs(waiting).run(); });
  EXPECT_EQ(text_of(TestOutputs(begun).run()), "");
  EXPECT_EQ(text_of(queues.session.close()), "");
  waiter.join();
  EXPECT_EQ(ended.code, kCancelled);
  EXPECT_EQ(text_of(TestOutputs(begun).run()), "1: Session has been closed.");
  EXPECT_EQ(text_of(queues.session.close()), "");
}

void expect_deadline_then_success(Queues& queues, const TestPlan& plan, const std::string* options) {
  TestOutputs outputs(plan);
  const FermataStatus late = options != nullptr ? outputs.run_with(*options, nullptr) : outputs.run();
  EXPECT_EQ(late.code, kDeadlineExceeded) << late.message;
  queues.session.run({queues.empty.enqueue.operation});
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<float>(0), 5);
}

TEST(PluginThreadTest, ATimeoutOfThePlanEndsTheRunAndNotTheSession) {
  Queues queues;
  const TestPlan plan(queues.session, {.fetches = {queues.empty.dequeue}, .options = timeout_options(50)});
  expect_deadline_then_success(queues, plan, nullptr);
}

TEST(PluginThreadTest, ATimeoutOfOneRunEndsTheRunAndNotTheSession) {
  Queues queues;
  const TestPlan plan(queues.session, {.fetches = {queues.empty.dequeue}});
  const std::string options = timeout_options(50);
  expect_deadline_then_success(queues, plan, &options);
}

TEST(PluginThreadTest, AClosedQueueIsTheEndOfInput) {
  Queues queues;
  queues.session.run({queues.empty.close.operation});
  const TestPlan plan(queues.session, {.fetches = {queues.empty.dequeue}});
  const FermataStatus ended = TestOutputs(plan).run();
  EXPECT_EQ(ended.code, kOutOfRange);
  EXPECT_THAT(ended.message, StartsWith("FIFOQueue"));
}

class PluginManyThreadsTest : public testing::TestWithParam<int> {};

TEST_P(PluginManyThreadsTest, OnePlanServesAllWithOutputsOfTheirOwn) {
  TestGraph graph;
  const FermataOutput x = graph.add("Placeholder", "x", {}, {{"dtype", type_attr(kFloat)}});
  const FermataOutput sum = graph.add("AddV2", "sum", {x, x});
  graph.import_fixture("counter");
  TestSession session(graph);
  session.run({graph.operation("init")});
  const TestPlan plan(session, {.fetches = {sum}, .targets = {graph.operation("train")}, .feeds = {x}});
  constexpr int kRuns = 20;
  std::vector<int> right(static_cast<size_t>(GetParam()), 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto number = static_cast<float>(t);
      const TestValue value = TestValue::floats({}, &number);
      TestOutputs outputs(plan);
      for (int i = 0; i < kRuns; ++i) {
        if (outputs.run({&value}).code == 0 && outputs.value<float>(0) == 2 * number) ++right[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, testing::Each(kRuns));
  const TestPlan read(session, {.fetches = {graph.output("w/Read/ReadVariableOp")}});
  TestOutputs total(read);
  ASSERT_EQ(text_of(total.run()), "");
  EXPECT_EQ(total.value<float>(0), static_cast<float>(kRuns * GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Threads, PluginManyThreadsTest, testing::Values(1, 2, 8, 64));

}  // namespace
}  // namespace fermata::tensorflow_plugin
