#include "engines/native/run_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunMetadata metadata_of_run(const RunOptions* options) {
  Graph graph;
  const Operation train = graph.step("train", {}, nothing);
  graph.operation("other", {}, nothing);
  const auto session = ready_session(graph);
  const auto plan = session->prepare({.fetches = {graph.global_step()}, .targets = {train}});
  const auto outputs = plan->make_outputs();
  RunMetadata metadata{"from an earlier run"};
  plan->run({}, options, *outputs, &metadata);
  return metadata;
}

TEST(NativeRunTraceTest, ListsTheCallablesOfTheRun) {
  const RunOptions options{.trace_level = TraceLevel::kFullTrace};
  EXPECT_THAT(metadata_of_run(&options).serialized,
              AllOf(HasSubstr("/native:0"), HasSubstr("train"), Not(HasSubstr("other"))));
}

TEST(NativeRunTraceTest, ACallableIsLabelledWithWhatItIsAndTakes) {
  Graph graph({.global_step = false});
  const Output x = graph.constant("x", 2.0F);
  const Output pair = graph
                          .operation("pair", {.outputs = {"a", "b"}},
                                     [](StepOutputs& out) {
                                       out.set("a", 1.0F);
                                       out.set("b", 2.0F);
                                     })
                          .output("b");
  const Output sum = graph.value("sum", {x, pair}, [](Inputs in) { return in.scalar<float>(0); });
  const auto session = ready_session(graph);
  const auto plan = session->prepare({.fetches = {sum}});
  const auto outputs = plan->make_outputs();
  const RunOptions options{.trace_level = TraceLevel::kFullTrace};
  RunMetadata metadata;
  plan->run({}, &options, *outputs, &metadata);
  EXPECT_THAT(metadata.serialized,
              AllOf(HasSubstr("pair = operation()"), HasSubstr("sum = value(x, pair:1)")));
}

TEST(NativeRunTraceTest, IsEmptyUnlessAskedFor) {
  const RunOptions options;
  EXPECT_EQ(metadata_of_run(&options).serialized, "");
  EXPECT_EQ(metadata_of_run(nullptr).serialized, "");
}

}  // namespace
}  // namespace fermata::native
