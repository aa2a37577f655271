#include "hooks/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>

#include "hooks/hook_test_support.h"

namespace fermata::hooks {
namespace {

using Json = nlohmann::json;

struct Node {
  std::string name;
  std::string label;
  std::int64_t start;
  std::int64_t duration;
  std::int64_t bytes = -1;  // negative: no output
};

std::string run_metadata(const std::string& device, const std::vector<Node>& nodes) {
  std::string bytes;
  protozero::pbf_writer metadata(bytes);
  protozero::pbf_writer step_stats(metadata, 1);
  protozero::pbf_writer device_stats(step_stats, 1);
  device_stats.add_string(1, device);
  for (const Node& node : nodes) {
    protozero::pbf_writer stats(device_stats, 2);
    stats.add_string(1, node.name);
    stats.add_int64(2, node.start);
    stats.add_int64(5, node.duration);
    if (node.bytes >= 0) {
      protozero::pbf_writer output(stats, 7);
      protozero::pbf_writer description(output, 3);
      protozero::pbf_writer allocation(description, 4);
      allocation.add_int64(1, node.bytes);
      allocation.add_string(3, "cpu");
    }
    stats.add_string(8, node.label);
  }
  for (protozero::pbf_writer* open : {&device_stats, &step_stats}) {
    open->commit();
  }
  return bytes;
}

// Two operations one after the other on one device; the third overlaps the second.
std::string three_nodes() {
  return run_metadata("/cpu:0", {{"a", "a = Const()", 100, 10, 4},
                                 {"b", "b = Mul(a, a)", 120, 30, 8},
                                 {"c", "c = NoOp(b, a/_3)", 130, 5}});
}

Json events(const std::string& metadata, TimelineOptions options = {}) {
  return Json::parse(timeline(metadata, options)).at("traceEvents");
}

Json of_phase(const Json& all, const std::string& phase) {
  Json chosen = Json::array();
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const Json& event) { return event.at("ph") == phase; });
  return chosen;
}

TEST(TimelineTest, NamesAProcessForAllocatorsAndTwoForEachDevice) {
  const Json names = of_phase(events(three_nodes()), "M");
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0],
            Json::parse(R"({"name":"process_name","ph":"M","pid":0,"args":{"name":"Allocators"}})"));
  EXPECT_EQ(names[1]["args"]["name"], "/cpu:0 Compute");
  EXPECT_EQ(names[2]["args"]["name"], "/cpu:0 Tensors");
}

TEST(TimelineTest, EachOperationIsARegionWithItsInputs) {
  const Json regions = of_phase(events(three_nodes()), "X");
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_EQ(regions[1], Json::parse(R"({"ph":"X","cat":"Op","name":"Mul","pid":1,"tid":0,"ts":120,"dur":30,
                                        "args":{"name":"b","op":"Mul","input0":"a","input1":"a"}})"));
}

TEST(TimelineTest, WhatOverlapsHasALaneOfItsOwn) {
  const Json regions = of_phase(events(three_nodes()), "X");
  EXPECT_EQ(regions[0]["tid"], 0);
  EXPECT_EQ(regions[1]["tid"], 0);
  EXPECT_EQ(regions[2]["tid"], 1);
}

TEST(TimelineTest, ArrowsLeadFromOneLaneToAnother) {
  const Json all = events(three_nodes());
  const Json starts = of_phase(all, "s");
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0],
            Json::parse(R"({"ph":"s","cat":"DataFlow","name":"b","pid":1,"tid":0,"ts":150,"id":0})"));
  // "a/_3" was received from another device.
  EXPECT_EQ(starts[1]["name"], "a");
  EXPECT_EQ(of_phase(all, "t")[0]["ts"], 130);
  EXPECT_TRUE(of_phase(events(three_nodes(), {.show_dataflow = false}), "s").empty());
}

TEST(TimelineTest, MemoryIsShownIfAskedFor) {
  EXPECT_TRUE(of_phase(events(three_nodes()), "C").empty());
  const Json all = events(three_nodes(), {.show_memory = true});
  EXPECT_EQ(of_phase(all, "N").size(), 2U);
  EXPECT_EQ(of_phase(all, "O").size(), 2U);
  EXPECT_EQ(of_phase(all, "D").size(), 2U);
  std::vector<int> totals;
  for (const Json& counter : of_phase(all, "C")) {
    totals.push_back(counter["args"]["cpu"]);
  }
  EXPECT_EQ(totals, (std::vector<int>{4, 12, 8, 0}));
}

TEST(TimelineTest, ALabelOfAnotherFormIsAnUnknownOperation) {
  const Json regions =
      of_phase(events(run_metadata("/cpu:0", {{"a", "", 1, 2}, {"RecvTensor", "x", 3, 1}})), "X");
  EXPECT_EQ(regions[0]["name"], "unknown");
  EXPECT_EQ(regions[0]["args"]["name"], "a");
  EXPECT_EQ(regions[1]["name"], "RecvTensor");
}

TEST(TimelineTest, KernelsOfAGpuAreNamedAfterTheirAnnotation) {
  const Json regions =
      of_phase(events(run_metadata("/gpu:0/stream:all",
                                   {{"k", "detail @@layer/mul:Mul#id=1#", 1, 2}, {"copy:MEMCPY", "", 4, 1}})),
               "X");
  EXPECT_EQ(regions[0]["args"], Json::parse(R"({"name":"layer/mul","op":"Mul"})"));
  EXPECT_EQ(regions[1]["args"], Json::parse(R"({"name":"copy","op":"MEMCPY"})"));
}

TEST(TimelineTest, NothingRecordedIsATimelineWithoutEvents) {
  EXPECT_EQ(of_phase(events(""), "X").size(), 0U);
}

TEST(TimelineTest, BytesOfAnotherKindAreDataLoss) {
  EXPECT_EQ(code_thrown_by([] { static_cast<void>(timeline("\x0a\x7f text", {})); }), Code::kDataLoss);
}

}  // namespace
}  // namespace fermata::hooks
