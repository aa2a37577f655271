#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "engines/tensorflow/plugin_fixture.h"

namespace fermata::tensorflow_plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Counter {
  explicit Counter(const char* fixture = "counter", const std::string& config = {}) {
    graph.import_fixture(fixture);
    session = std::make_unique<TestSession>(graph, config);
    session->run({graph.operation("init")});
  }

  TestGraph graph;
  std::unique_ptr<TestSession> session;
};

// A read of the step that comes after everything that `train` does.
FermataOutput add_ordered_read(TestGraph& graph) {
  return graph.add("ReadVariableOp", "ordered_read", {graph.output("global_step")},
                   {{"dtype", type_attr(kInt64)}}, {graph.operation("train")});
}

struct ExecutorCase {
  const char* name;
  std::string config;
  std::string options;
};

class PluginExecutorTest : public testing::TestWithParam<ExecutorCase> {};

TEST_P(PluginExecutorTest, TheOrderedReadIsTheStepAfterTheRun) {
  Counter counter("counter", GetParam().config);
  const FermataOutput step = add_ordered_read(counter.graph);
  ASSERT_EQ(text_of(counter.session->extend()), "");
  const TestPlan plan(*counter.session, {.fetches = {step, counter.graph.output("loss")},
                                         .targets = {counter.graph.operation("train")},
                                         .options = GetParam().options});
  ASSERT_EQ(text_of(plan.status), "");
  TestOutputs outputs(plan);
  for (int64_t i = 1; i <= 200; ++i) {
    ASSERT_EQ(text_of(outputs.run()), "");
    ASSERT_EQ(outputs.value<int64_t>(0), i);
    ASSERT_EQ(outputs.value<float>(1), 101.0F - static_cast<float>(i));
  }
  EXPECT_THAT(outputs.shape(0), ElementsAre());
}

INSTANTIATE_TEST_SUITE_P(All, PluginExecutorTest,
                         testing::Values(ExecutorCase{"pool", {}, {}},
                                         ExecutorCase{"caller", {}, caller_thread_options()},
                                         ExecutorCase{"single", single_threaded_config(), {}}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST(PluginRunTest, NodesAddedToALiveSessionNeedNoExtend) {
  Counter counter;
  const TestPlan plan(*counter.session, {.fetches = {add_ordered_read(counter.graph)}});
  ASSERT_EQ(text_of(plan.status), "");
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<int64_t>(0), 1);
}

TEST(PluginRunTest, AStepReusesWhatTheStepBeforeMade) {
  Counter counter;
  const TestPlan plan(*counter.session, {.fetches = {counter.graph.output("loss")},
                                         .targets = {counter.graph.operation("train")}});
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run()), "");
  const int64_t* const dims = outputs.views[0].dims;
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.views[0].dims, dims);
}

TEST(PluginRunTest, AnUpdateNeedNotCopyForTheResultOfTheStepBefore) {
  Counter counter;
  const TestPlan plan(*counter.session, {.fetches = {add_ordered_read(counter.graph)}});
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run()), "");
  const void* const memory = outputs.views[0].data;
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<int64_t>(0), 2);
  EXPECT_EQ(outputs.views[0].data, memory);
}

// Values of a graph with resource variables are safe by TensorFlow's own doing, others by a copy.
class PluginViewTest : public testing::TestWithParam<const char*> {};

TEST_P(PluginViewTest, AViewStaysWhenAnotherPlanUpdatesTheVariable) {
  Counter counter(GetParam());
  const bool is_reference = std::strcmp(GetParam(), "counter_ref") == 0;
  const std::vector<FermataOutput> fetches =
      is_reference ? std::vector{counter.graph.output("w"), counter.graph.output("w/read")}
                   : std::vector{counter.graph.output("w/Read/ReadVariableOp")};
  const TestPlan plan(*counter.session, {.fetches = fetches});
  TestOutputs outputs(plan);
  for (float expected = 0; expected < 3; ++expected) {
    ASSERT_EQ(text_of(outputs.run()), "");
    counter.session->run({counter.graph.operation("train")});
    for (size_t i = 0; i < fetches.size(); ++i) EXPECT_EQ(outputs.value<float>(i), expected) << i;
    EXPECT_EQ(outputs.views[0].dtype, kFloat);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PluginViewTest, testing::Values("counter", "counter_ref"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(PluginRunTest, AViewOfReferenceStringsStaysToo) {
  TestGraph graph;
  const FermataOutput x = graph.add("Placeholder", "x", {}, {{"dtype", type_attr(kString)}});
  const FermataOutput v =
      graph.add("VariableV2", "v", {}, {{"dtype", type_attr(kString)}, {"shape", shape_attr({2})}});
  const FermataOutput assign = graph.add("Assign", "assign", {v, x});
  const TestSession session(graph);
  const TestPlan write(session, {.targets = {assign.operation}, .feeds = {x}});
  const TestPlan read(session, {.fetches = {v}});
  TestOutputs written(write);
  TestOutputs seen(read);
  const TestValue first = TestValue::strings({"one", std::string(50, '1')});
  const TestValue second = TestValue::strings({"two", std::string(50, '2')});
  ASSERT_EQ(text_of(written.run({&first})), "");
  ASSERT_EQ(text_of(seen.run()), "");
  ASSERT_EQ(text_of(written.run({&second})), "");
  EXPECT_EQ(seen.text(0, 0), "one");
  EXPECT_EQ(seen.text(0, 1), std::string(50, '1'));
}

TEST(PluginRunTest, RefusesHandlesAsFetchAndFeed) {
  Counter counter;
  const FermataOutput handle = counter.graph.output("global_step");
  EXPECT_EQ(text_of(TestPlan(*counter.session, {.fetches = {handle}}).status),
            "3: 'global_step:0' cannot be fetched: it is of type resource, which has no value outside of "
            "TensorFlow");
  EXPECT_EQ(
      text_of(TestPlan(*counter.session, {.targets = {handle.operation}, .feeds = {handle}}).status),
      "3: 'global_step:0' cannot be fed: it is of type resource, which has no value outside of TensorFlow");
  EXPECT_EQ(text_of(TestPlan(*counter.session, {.fetches = {{handle.operation, 1}}}).status),
            "3: fetch 0 is an output that its operation does not have");
}

TEST(PluginRunTest, RefusesOptionsThatAreNone) {
  Counter counter;
  const TestPlan plan(*counter.session,
                      {.targets = {counter.graph.operation("train")}, .options = "no message"});
  // Without prepared calls TensorFlow looks at them in the run.
  const FermataStatus status = plan.get() == nullptr ? plan.status : TestOutputs(plan).run();
  EXPECT_EQ(status.code, kInvalidArgument);
  FermataStatus config;
  EXPECT_EQ(api().session_new(counter.graph.get(), "", "no message", 10, &config), nullptr);
  EXPECT_THAT(text_of(config), StartsWith("3: Unparseable ConfigProto"));
}

TEST(PluginRunTest, AFailedRunLeavesThePlanUsable) {
  TestGraph graph;
  graph.import_fixture("counter");
  TestSession session(graph);
  const TestPlan plan(session, {.fetches = {graph.output("loss")}, .targets = {graph.operation("train")}});
  TestOutputs outputs(plan);
  EXPECT_THAT(text_of(outputs.run()), StartsWith("9: "));  // The variables have no value yet.
  session.run({graph.operation("init")});
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<float>(0), 100);
}

TEST(PluginRunTest, ARunOfItsOwnIsRecorded) {
  Counter counter;
  const TestPlan plan(*counter.session, {.fetches = {counter.graph.output("loss")},
                                         .targets = {counter.graph.operation("train")}});
  TestOutputs outputs(plan);
  std::string metadata;
  ASSERT_EQ(text_of(outputs.run_with(trace_options(), &metadata)), "");
  EXPECT_THAT(metadata, HasSubstr("AssignAddVariableOp"));
  EXPECT_EQ(outputs.value<float>(0), 100);
  // The usual way is open before and after.
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<float>(0), 99);
  ASSERT_EQ(text_of(outputs.run_with(caller_thread_options(), nullptr)), "");
  EXPECT_EQ(outputs.value<float>(0), 98);
}

TEST(PluginRunTest, APlanWithTraceOptionsRuns) {
  Counter counter;
  const TestPlan plan(*counter.session,
                      {.fetches = {counter.graph.output("loss")}, .options = trace_options()});
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run()), "");
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.value<float>(0), 100);
}

// What TensorFlow prints reaches the program's own streams, where they differ from those it sees.
TEST(PluginRunTest, PrintingReachesTheProgramsStreams) {
  Counter counter("print");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  counter.session->run({counter.graph.operation("train")});
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("stdout: step 0"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("stderr: step 0"));
}

// A network with one hidden layer and Adam, fed in batches: the loss must fall.
TEST(PluginRunTest, TrainsANetworkOnBatches) {
  TestGraph graph;
  ASSERT_EQ(text_of(graph.import(read_graph_def(FERMATA_DIGITS_META))), "");
  TestSession session(graph);
  session.run({graph.operation("init")});
  const TestPlan plan(session, {.fetches = {graph.output("loss")},
                                .targets = {graph.operation("train")},
                                .feeds = {graph.output("x"), graph.output("y")}});
  ASSERT_EQ(text_of(plan.status), "");
  alignas(64) float images[8 * 64] = {};
  alignas(64) int64_t labels[8] = {};
  for (int i = 0; i < 8; ++i) {
    labels[i] = i;
    images[i * 64 + i] = 1;
  }
  const TestValue x = TestValue::floats({8, 64}, images);
  const TestValue y(kInt64, {8}, labels);
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run({&x, &y})), "");
  const float first = outputs.value<float>(0);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(text_of(outputs.run({&x, &y})), "");
  EXPECT_LT(outputs.value<float>(0), first / 2);
}

TEST(PluginRunTest, LivesOnlyAsLongAsItsPlans) {
  std::unique_ptr<TestPlan> plan;
  {
    TestGraph graph;
    graph.import_fixture("counter");
    TestSession session(graph);
    plan = std::make_unique<TestPlan>(session, TestPlan::Request{.fetches = {graph.output("sub/x")}});
  }
  // Session and graph are deleted, as far as anyone can tell.
  TestOutputs outputs(*plan);
  EXPECT_EQ(text_of(outputs.run()), "1: Session has been closed.");
}

}  // namespace
}  // namespace fermata::tensorflow_plugin
