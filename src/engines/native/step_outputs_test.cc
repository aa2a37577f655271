#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::HasSubstr;

// What an operation that sets "out" as told gives.
Tensor set_and_fetch(Callable function) {
  Graph graph;
  const Operation op = graph.operation("op", {.outputs = {"other", "out"}}, std::move(function));
  return ready_session(graph)->run(op.output("out"));
}

TEST(NativeStepOutputsTest, TakesEveryKindOfScalar) {
  EXPECT_EQ(set_and_fetch([](StepOutputs& o) { o.set("out", true); }).view().scalar<bool>(), true);
  EXPECT_EQ(set_and_fetch([](StepOutputs& o) { o.set("out", 2.5); }).view().scalar<double>(), 2.5);
  EXPECT_EQ(set_and_fetch([](StepOutputs& o) { o.set("out", std::int8_t{-3}); }).dtype(), DType::kInt8);
  EXPECT_EQ(set_and_fetch([](StepOutputs& o) { o.set("out", Half{7}); }).view().scalar<Half>(), Half{7});
  const std::complex<double> complex(1, 2);
  EXPECT_EQ(
      set_and_fetch([&](StepOutputs& o) { o.set("out", complex); }).view().scalar<std::complex<double>>(),
      complex);
}

TEST(NativeStepOutputsTest, TakesTexts) {
  EXPECT_EQ(set_and_fetch([](StepOutputs& o) { o.set("out", "text"); }).view().string(), "text");
  EXPECT_EQ(
      set_and_fetch([](StepOutputs& o) { o.set("out", std::string("a\0b", 3)); }).view().string().size(), 3U);
}

TEST(NativeStepOutputsTest, TakesTensorsAndCopiesViews) {
  const Tensor value = Tensor::of<float>({2}, {1, 2});
  EXPECT_EQ(to_text(set_and_fetch([&](StepOutputs& o) { o.set("out", value); }).view()), "[1 2]");
  EXPECT_EQ(to_text(set_and_fetch([&](StepOutputs& o) { o.set("out", value.view()); }).view()), "[1 2]");
  const Tensor texts = Tensor::strings({1}, {"a"});
  EXPECT_EQ(set_and_fetch([&](StepOutputs& o) { o.set("out", texts.view()); }).view().string(), "a");
  const Tensor empty = Tensor::of<float>({0, 3}, {});
  EXPECT_EQ(set_and_fetch([&](StepOutputs& o) { o.set("out", empty.view()); }).size(), 0);
}

TEST(NativeStepOutputsTest, TheTypeMayChangeFromRunToRun) {
  Graph graph;
  int runs = 0;
  const Output value =
      graph
          .operation("op", {.outputs = {"v"}},
                     [&](StepOutputs& out) { ++runs == 1 ? out.set("v", 1) : out.set("v", 0.5); })
          .output();
  const auto session = ready_session(graph);
  EXPECT_EQ(to_text(session->run(value).view()), "1");
  EXPECT_EQ(to_text(session->run(value).view()), "0.5");
}

TEST(NativeStepOutputsTest, RefusesWhatWasNotDeclared) {
  EXPECT_THAT(error_of([] { (void)set_and_fetch([](StepOutputs& o) { o.set("outt", 1); }); }),
              HasSubstr("INVALID_ARGUMENT: 'op' set an output 'outt', but declared other, out"));
}

TEST(NativeStepOutputsTest, RefusesWhatIsNoValue) {
  EXPECT_THAT(error_of([] { (void)set_and_fetch([](StepOutputs& o) { o.set("out", Tensor()); }); }),
              HasSubstr("empty Tensor"));
  EXPECT_THAT(error_of([] { (void)set_and_fetch([](StepOutputs& o) { o.set("out", TensorView()); }); }),
              HasSubstr("without a value"));
}

TEST(NativeStepOutputsTest, InputsAreCounted) {
  Graph graph;
  const Output c = graph.constant("c", 1.5F);
  const Output v = graph.value("v", {c}, [](Inputs in) { return in.scalar<float>(1); });
  EXPECT_THAT(error_of([&] { run(*ready_session(graph), v); }), HasSubstr("input 1 was asked for, but 1"));
}

}  // namespace
}  // namespace fermata::native
