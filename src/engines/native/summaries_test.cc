#include "engines/native/summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_reader.hpp>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<std::pair<std::string, float>> values_of(const Tensor& serialized) {
  const std::string_view bytes = serialized.view().string();
  std::vector<std::pair<std::string, float>> values;
  protozero::pbf_reader summary(bytes.data(), bytes.size());
  while (summary.next(1)) {
    protozero::pbf_reader value = summary.get_message();
    EXPECT_TRUE(value.next(1));
    const std::string tag = value.get_string();
    EXPECT_TRUE(value.next(2));
    values.emplace_back(tag, value.get_float());
  }
  return values;
}

TEST(NativeSummaryTest, AllAreMergedInTheOrderOfAdding) {
  Graph graph;
  graph.scalar_summary("b", graph.constant("c", 1.5F));
  const Output own = graph.scalar_summary("a:0", graph.constant("d", std::int64_t{3}));
  const auto session = ready_session(graph);
  EXPECT_THAT(values_of(session->run(*graph.default_summary_op())),
              ElementsAre(Pair("b", 1.5F), Pair("a:0", 3.0F)));
  EXPECT_THAT(values_of(session->run(own)), ElementsAre(Pair("a:0", 3.0F)));
}

TEST(NativeSummaryTest, AreComputedOnlyWhenFetched) {
  Graph graph;
  int computed = 0;
  graph.scalar_summary("times", graph.value("times", {}, [&](Inputs) { return ++computed; }));
  const Operation train = graph.step("train", {}, nothing);
  const Output merged = *graph.default_summary_op();
  const auto session = ready_session(graph);
  run(*session, train);
  EXPECT_EQ(computed, 0);
  run(*session, SessionRunArgs({train, merged}));
  EXPECT_EQ(computed, 1);
}

TEST(NativeSummaryTest, AStepsOutputIsTheOneOfTheSameRun) {
  Graph graph;
  const Operation train =
      graph.step("train", {.outputs = {"loss"}}, [](StepOutputs& o) { o.set("loss", 0.5); });
  graph.scalar_summary("loss", train.output("loss"));
  const auto session = ready_session(graph);
  const auto results = session->run(SessionRunArgs({train, *graph.default_summary_op()}));
  EXPECT_THAT(values_of(results[1]), ElementsAre(Pair("loss", 0.5F)));
  EXPECT_EQ(session->read_step(), 1);
}

TEST(NativeSummaryTest, OneTagMayBeGivenTwice) {
  Graph graph;
  const Output c = graph.constant("c", 1.5F);
  EXPECT_EQ(graph.scalar_summary("tag", c).name(), "tag:0");
  EXPECT_EQ(graph.scalar_summary("tag", c).name(), "tag_1:0");
}

TEST(NativeSummaryTest, TakeRealScalars) {
  Graph graph;
  const Output vector = graph.scalar_summary("v", graph.constant("c", Tensor::of<float>({2}, {1, 2})));
  const Output text = graph.scalar_summary("t", graph.constant("d", Tensor::string_scalar("a")));
  const auto session = ready_session(graph);
  EXPECT_THAT(error_of([&] { run(*session, vector); }),
              HasSubstr("'v' takes a real scalar, but it was given float32[2]"));
  EXPECT_THAT(error_of([&] { run(*session, text); }), HasSubstr("'t' takes a real scalar"));
}

}  // namespace
}  // namespace fermata::native
