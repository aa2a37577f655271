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

TEST(NativeRunTraceTest, IsEmptyUnlessAskedFor) {
  const RunOptions options;
  EXPECT_EQ(metadata_of_run(&options).serialized, "");
  EXPECT_EQ(metadata_of_run(nullptr).serialized, "");
}

}  // namespace
}  // namespace fermata::native
