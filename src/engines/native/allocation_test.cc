// What a run allocates once its plan has been run.
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"
#include "tests/support/counted_allocations.h"

namespace fermata::native {
namespace {

// Of the second of two runs of one plan into the same outputs.
std::int64_t allocations_of_second_run(Session& session, const PlanRequest& request,
                                       std::span<const Tensor* const> feeds = {}) {
  const auto plan = session.prepare(request);
  const auto outputs = plan->make_outputs();
  const RunOptions options;
  RunMetadata metadata;
  plan->run(feeds, &options, *outputs, &metadata);
  const std::int64_t before = allocations_of_this_thread();
  plan->run(feeds, &options, *outputs, &metadata);
  return allocations_of_this_thread() - before;
}

TEST(NativeAllocationTest, TheCounterCounts) {
  Graph graph;
  const Output tensor = graph.value("tensor", {}, [](Inputs) { return Tensor::scalar(1); });
  EXPECT_GE(allocations_of_second_run(*ready_session(graph), {.fetches = {tensor}}), 1);
}

TEST(NativeAllocationTest, AStepWithScalarsAllocatesNothing) {
  Graph graph;
  float w = 0;
  const Output variable = graph.variable("w", view(w));
  const Output x = graph.placeholder<float>("x");
  const Output x2 = graph.value("x2", {x, variable}, [](Inputs in) { return 2 * in.scalar<float>(0); });
  const Operation train =
      graph.step("train", {.outputs = {"loss"}, .inputs = {x2, graph.global_step()}}, [&](StepOutputs& out) {
        w += out.inputs().scalar<float>(0);
        out.set("loss", w);
      });
  PlanRequest request{.fetches = {train.output("loss"), graph.global_step(), variable, x2, x},
                      .targets = {train},
                      .feeds = {x}};
  request.read_step = true;
  const Tensor fed = Tensor::scalar(1.0F);
  const Tensor* feeds[] = {&fed};
  EXPECT_EQ(allocations_of_second_run(*ready_session(graph), request, feeds), 0);
}

TEST(NativeAllocationTest, AViewOfAKnownSizeAllocatesNothing) {
  Graph graph;
  std::vector<float> w(1000);
  const Output variable = graph.variable("w", view(w));
  const Output copy = graph
                          .operation("copy", {.outputs = {"w"}, .inputs = {variable}},
                                     [](StepOutputs& out) { out.set("w", out.inputs()[0]); })
                          .output();
  EXPECT_EQ(allocations_of_second_run(*ready_session(graph), {.fetches = {variable, copy}}), 0);
}

}  // namespace
}  // namespace fermata::native
