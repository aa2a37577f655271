// What `auto` decides before a session exists.
#include <gtest/gtest.h>

#include "engines/tensorflow_graph/graph_session.h"
#include "engines/tensorflow_graph/model_test_support.h"

namespace fermata::tensorflow {
namespace {

// kSingle, or kAuto for what is left to a measurement.
Executor decision(const std::string& path, int threads = 2) {
  Model model = open(project_file(path));
  return model.create_session({.inter_op_threads = threads})->executor();
}

Executor decision_for(const std::string& graph, int threads = 2) {
  return decision("tests/fixtures/executors/" + graph + ".meta", threads);
}

TEST(ExecutorRulesTest, LightGraphsAndChainsHaveOneThread) {
  EXPECT_EQ(decision_for("fed_counter"), Executor::kSingle);
  EXPECT_EQ(decision_for("wide_light"), Executor::kSingle);
  EXPECT_EQ(decision_for("loop_of_functions"), Executor::kSingle);
  EXPECT_EQ(decision("examples/digits/digits.meta"), Executor::kSingle);
  EXPECT_EQ(decision("examples/digits/digits_saved_model"), Executor::kSingle);
}

TEST(ExecutorRulesTest, WideHeavyBranchesAreMeasured) {
  EXPECT_EQ(decision_for("wide_heavy"), Executor::kAuto);
  EXPECT_EQ(decision_for("wide_elementwise"), Executor::kAuto);
  EXPECT_EQ(decision_for("convolutions"), Executor::kAuto);
}

TEST(ExecutorRulesTest, BranchesInTheBodiesOfFunctionsCount) {
  EXPECT_EQ(decision_for("called_branches"), Executor::kAuto);
}

TEST(ExecutorRulesTest, OneThreadBetweenOperationsGainsNothing) {
  EXPECT_EQ(decision_for("wide_heavy", 1), Executor::kSingle);
  EXPECT_EQ(decision_for("called_branches", 1), Executor::kSingle);
}

TEST(ExecutorRulesTest, WhatTheOneThreadCannotRunIsMeasured) {
  EXPECT_EQ(decision("tests/fixtures/while_loop_v1.meta"), Executor::kAuto);
  EXPECT_EQ(decision("tests/fixtures/counter_ref.meta"), Executor::kAuto);
}

}  // namespace
}  // namespace fermata::tensorflow
