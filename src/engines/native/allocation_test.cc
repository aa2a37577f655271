// A program of its own, since it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "engines/native/native_testing.h"

namespace {
thread_local bool counting = false;
thread_local int allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting) {
    ++allocations;
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  if (counting) {
    ++allocations;
  }
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace fermata::native {
namespace {

// Of the second of two runs of one plan into the same outputs.
int allocations_of_second_run(Session& session, const PlanRequest& request,
                              std::span<const Tensor* const> feeds = {}) {
  const auto plan = session.prepare(request);
  const auto outputs = plan->make_outputs();
  const RunOptions options;
  RunMetadata metadata;
  plan->run(feeds, &options, *outputs, &metadata);
  allocations = 0;
  counting = true;
  plan->run(feeds, &options, *outputs, &metadata);
  counting = false;
  return allocations;
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
