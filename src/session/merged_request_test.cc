#include "session/merged_request.h"

#include <gtest/gtest.h>

#include "fermata/error.h"
#include "fermata/native.h"

namespace fermata {
namespace {

// Contract GS-5, RUN-4.
TEST(MergedRequestTest, AFetchWantedBySeveralIsFetchedOnce) {
  native::Graph graph;
  const Output c = graph.constant("c", 1.0F);
  const SessionRunArgs first({c});
  const SessionRunArgs second({"c:0", "c:0"});
  const std::vector<Participant> all = {{&first, "a"}, {nullptr, "b"}, {&second, "c"}};
  const MergedRequest merged = merge(graph, all);
  EXPECT_EQ(merged.plan.fetches, std::vector<Output>{c});
  EXPECT_EQ(merged.places, (std::vector<std::vector<std::int32_t>>{{0}, {}, {0, 0}}));
}

TEST(MergedRequestTest, AnOperationHasNoPlaceInTheResults) {
  native::Graph graph;
  const Operation train = graph.step("train", {}, [](native::StepOutputs&) {});
  const SessionRunArgs args({train, "train"});
  const std::vector<Participant> all = {{&args, "a"}};
  const MergedRequest merged = merge(graph, all);
  EXPECT_EQ(merged.plan.targets, std::vector<Operation>{train});
  EXPECT_EQ(merged.places.front(), (std::vector<std::int32_t>{-1, -1}));
}

TEST(MergedRequestTest, OptionsTakeTheStrongerOfEach) {
  RunOptions options{.trace_level = TraceLevel::kSoftwareTrace, .timeout = std::chrono::milliseconds(5)};
  merge_options(options, {.trace_level = TraceLevel::kFullTrace,
                          .inter_op_thread_pool = -1,
                          .output_partition_graphs = true,
                          .debug_tensor_watches = {"w"}});
  EXPECT_EQ(options.trace_level, TraceLevel::kFullTrace);
  EXPECT_EQ(options.timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(options.inter_op_thread_pool, -1);
  EXPECT_TRUE(options.output_partition_graphs);
  EXPECT_EQ(options.debug_tensor_watches, std::vector<std::string>{"w"});
}

// Contract RUN-11.
TEST(MergedRequestTest, TheCallersThreadIsKeptWhenAnotherSetsNoPool) {
  RunOptions options{.inter_op_thread_pool = -1};
  merge_options(options, {.trace_level = TraceLevel::kFullTrace});
  EXPECT_EQ(options.inter_op_thread_pool, -1);
}

TEST(MergedRequestTest, AHandleOfAnotherGraphIsRefused) {
  native::Graph graph;
  native::Graph other;
  const SessionRunArgs args({other.constant("c", 1.0F)});
  const std::vector<Participant> all = {{&args, "a"}};
  EXPECT_THROW(static_cast<void>(merge(graph, all)), Error);
}

}  // namespace
}  // namespace fermata
