#include "fermata/global_step.h"

#include <gtest/gtest.h>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

// Contract GS-7.
TEST(NativeGlobalStepTest, AGraphWithoutOneHasNone) {
  const Graph graph({.global_step = false});
  EXPECT_FALSE(get_global_step(graph));
}

TEST(NativeGlobalStepTest, ItIsMadeOnce) {
  Graph graph({.global_step = false});
  const VariableInfo made = create_global_step(graph);
  EXPECT_EQ(made.name, "global_step");
  EXPECT_EQ(made.spec.dtype, DType::kInt64);
  EXPECT_EQ(made.spec.shape, Shape{});
  EXPECT_FALSE(made.trainable);
  try {
    create_global_step(graph);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(error.what(), "a global step already exists: 'global_step'; take it with get_global_step");
  }
  EXPECT_EQ(get_global_step(graph)->name, "global_step");
  EXPECT_EQ(get_or_create_global_step(graph).name, "global_step");
}

// Contract GS-10.
TEST(NativeGlobalStepTest, OneThatWasMadeLaterCountsToo) {
  Graph graph({.global_step = false});
  const Operation train = graph.step("train", {}, nothing);
  EXPECT_EQ(get_or_create_global_step(graph).name, "global_step");
  const auto session = ready_session(graph);
  static_cast<void>(session->run(train));
  static_cast<void>(session->run(train));
  EXPECT_EQ(global_step(*session), 2);
}

TEST(NativeGlobalStepTest, AnUnsuitableOneIsAMisuse) {
  float step = 0;
  Graph graph({.global_step = false});
  graph.variable("global_step", view(step));
  EXPECT_THROW(static_cast<void>(get_global_step(graph)), Misuse);
  EXPECT_THROW(create_global_step(graph), Misuse);
  EXPECT_THROW(get_or_create_global_step(graph), Misuse);
}

TEST(NativeGlobalStepTest, AFinalizedGraphTakesNone) {
  Graph graph({.global_step = false});
  graph.finalize();
  EXPECT_THROW(create_global_step(graph), Misuse);
}

}  // namespace
}  // namespace fermata::native
