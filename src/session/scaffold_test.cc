#include "fermata/scaffold.h"

#include <gtest/gtest.h>

#include "fermata/error.h"
#include "fermata/global_step.h"
#include "fermata/native.h"

namespace fermata {
namespace {

class ScaffoldTest : public testing::Test {
 protected:
  ScaffoldTest() { graph_.variable("w", native::view(w_)); }
  float w_ = 1;
  native::Graph graph_;
};

TEST_F(ScaffoldTest, MakesWhatIsMissingAndClosesTheGraph) {
  Scaffold scaffold;
  scaffold.finalize(graph_);
  EXPECT_TRUE(scaffold.init_op() && scaffold.ready_op() && scaffold.local_init_op());
  EXPECT_NE(scaffold.saver(), nullptr);
  EXPECT_TRUE(graph_.finalized());
}

TEST_F(ScaffoldTest, WithoutSummariesThereIsNoSummaryOp) {
  Scaffold scaffold;
  scaffold.finalize(graph_);
  EXPECT_FALSE(scaffold.summary_op());
  EXPECT_TRUE(graph_.collection(collections::kSummaryOp).empty());
}

TEST_F(ScaffoldTest, AllScaffoldsOfAGraphShareItsSaver) {
  Scaffold first;
  first.finalize(graph_);
  Scaffold second;
  second.finalize(graph_);
  EXPECT_EQ(first.saver(), second.saver());
}

TEST_F(ScaffoldTest, BuildsTheSaverThatItIsGiven) {
  const auto saver = std::make_shared<Saver>(graph_, Saver::Options{.defer_build = true});
  Scaffold scaffold({.saver = saver});
  EXPECT_FALSE(saver->is_built());
  scaffold.finalize(graph_);
  EXPECT_TRUE(saver->is_built());
  EXPECT_FALSE(saver->is_empty());
}

TEST_F(ScaffoldTest, TwoSaversInTheCollectionAreAMisuse) {
  graph_.constant("a", 1.0F);
  graph_.constant("b", 1.0F);
  graph_.add_to_collection(collections::kSavers, "a:0");
  graph_.add_to_collection(collections::kSavers, "b:0");
  Scaffold scaffold;
  EXPECT_THROW(scaffold.finalize(graph_), Misuse);
  EXPECT_FALSE(graph_.finalized());
}

TEST_F(ScaffoldTest, WhatIsGivenIsKeptAndNotPutIntoACollection) {
  const Operation mine = graph_.operation("mine", {}, [](native::StepOutputs&) {});
  Scaffold scaffold({.init_op = mine});
  scaffold.finalize(graph_);
  EXPECT_EQ(scaffold.init_op()->name(), "mine");
  EXPECT_TRUE(graph_.collection(collections::kInitOp).empty());
}

TEST_F(ScaffoldTest, APieceOfTheCollectionIsUsed) {
  graph_.operation("theirs", {}, [](native::StepOutputs&) {});
  graph_.add_to_collection(collections::kInitOp, "theirs");
  Scaffold scaffold;
  scaffold.finalize(graph_);
  EXPECT_EQ(scaffold.init_op()->name(), "theirs");
}

TEST_F(ScaffoldTest, SeveralPiecesInACollectionAreMisuse) {
  graph_.add_to_collection(collections::kInitOp, "a");
  graph_.add_to_collection(collections::kInitOp, "b");
  Scaffold scaffold;
  EXPECT_THROW(scaffold.finalize(graph_), Misuse);
  EXPECT_FALSE(graph_.finalized());
}

TEST_F(ScaffoldTest, ASecondFinalizeChangesNothing) {
  Scaffold scaffold;
  scaffold.finalize(graph_);
  const std::size_t before = graph_.operations().size();
  scaffold.finalize(graph_);
  EXPECT_EQ(graph_.operations().size(), before);
}

TEST_F(ScaffoldTest, TwoScaffoldsOfOneGraphShareThePieces) {
  Scaffold first;
  first.finalize(graph_);
  Scaffold second;
  second.finalize(graph_);
  EXPECT_EQ(first.init_op()->name(), second.init_op()->name());
}

TEST_F(ScaffoldTest, ACopyTakesWhatItWasNotGiven) {
  const Operation theirs = graph_.operation("theirs", {}, [](native::StepOutputs&) {});
  const Operation mine = graph_.operation("mine", {}, [](native::StepOutputs&) {});
  const Scaffold other({.init_op = theirs, .local_init_op = theirs});
  Scaffold scaffold({.init_op = mine}, other);
  scaffold.finalize(graph_);
  EXPECT_EQ(scaffold.init_op()->name(), "mine");
  EXPECT_EQ(scaffold.local_init_op()->name(), "theirs");
}

template <typename T>
concept HasGlobalStep = requires(T& scaffold) {
  scaffold.global_step();
};

// Contract SCAF-16.
TEST_F(ScaffoldTest, TheStepIsTheGraphsAndNotTheScaffolds) {
  static_assert(!HasGlobalStep<Scaffold>);
  Scaffold scaffold;
  scaffold.finalize(graph_);
  EXPECT_EQ(get_global_step(graph_)->name, "global_step");
}

}  // namespace
}  // namespace fermata
