#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engines/tensorflow/plugin_fixture.h"

namespace fermata::tensorflow_plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PluginFactoryTest, FillsTheWholeTable) {
  EXPECT_EQ(api().abi, static_cast<uint32_t>(FERMATA_PLUGIN_ABI));
  EXPECT_EQ(api().struct_size, sizeof(FermataPluginApi));
  EXPECT_STREQ(api().runtime_version(), "2.21.0");
  const auto* const entries = reinterpret_cast<void* const*>(&api().runtime_version);
  const size_t count =
      (sizeof(FermataPluginApi) - offsetof(FermataPluginApi, runtime_version)) / sizeof(void*);
  EXPECT_EQ(std::count(entries, entries + count, nullptr), 0);
}

TEST(PluginFactoryTest, RefusesAnotherAbi) {
  const FermataHost host{};
  FermataStatus status;
  EXPECT_EQ(plugin_factory()(FERMATA_PLUGIN_ABI + 1, &host, &status), nullptr);
  EXPECT_EQ(
      text_of(status),
      "9: the TensorFlow plug-in speaks version 1 of the boundary and the library version 2: install both "
      "from one build");
}

TEST(PluginFactoryTest, PreparedCallsCanBeSwitchedOff) {
  EXPECT_EQ(api().has_prepared_calls(), std::getenv("FERMATA_NO_PREPARED_CALLS") == nullptr ? 1 : 0);
}

TEST(PluginGraphTest, OffersWhatWasImported) {
  TestGraph graph;
  graph.import_fixture("counter");
  const std::vector<std::string> names = graph.names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "global_step"), 1);
  EXPECT_EQ(graph.operation("no such operation"), nullptr);
  void* const loss = graph.operation("loss");
  EXPECT_STREQ(api().operation_name(loss), "loss");
  EXPECT_STREQ(api().operation_type(loss), "Identity");
  EXPECT_STREQ(api().operation_device(loss), "");
  EXPECT_EQ(api().operation_num_outputs(loss), 1);
  EXPECT_EQ(api().operation_num_inputs(loss), 1);
  EXPECT_STREQ(api().operation_name(api().operation_input(loss, 0).operation), "sub");
  EXPECT_EQ(api().operation_input(loss, 1).operation, nullptr);
}

TEST(PluginGraphTest, ListsControlInputs) {
  TestGraph graph;
  graph.import_fixture("counter");
  void* const train = graph.operation("train");
  std::vector<void*> inputs(3, nullptr);
  ASSERT_EQ(api().operation_num_control_inputs(train), 3);
  EXPECT_EQ(api().operation_control_inputs(train, inputs.data(), 1), 3);
  EXPECT_EQ(inputs[1], nullptr);
  EXPECT_EQ(api().operation_control_inputs(train, inputs.data(), 3), 3);
  EXPECT_THAT(inputs, testing::UnorderedElementsAre(graph.operation("AssignAddVariableOp"),
                                                    graph.operation("AssignAddVariableOp_1"),
                                                    graph.operation("loss")));
}

TEST(PluginGraphTest, KnowsTypesAndShapes) {
  TestGraph graph;
  const FermataOutput x =
      graph.add("Placeholder", "x", {}, {{"dtype", type_attr(kFloat)}, {"shape", shape_attr({-1, 4})}});
  const FermataOutput any = graph.add("Placeholder", "any", {}, {{"dtype", type_attr(kInt64)}});
  const FermataOutput variable =
      graph.add("VariableV2", "v", {}, {{"dtype", type_attr(kFloat)}, {"shape", shape_attr({})}});
  int64_t dims[2] = {7, 7};
  EXPECT_EQ(api().output_dtype(x), kFloat);
  EXPECT_EQ(api().output_shape(graph.get(), x, dims, 1), 2);
  EXPECT_THAT(dims, ElementsAre(-1, 7));
  EXPECT_EQ(api().output_shape(graph.get(), x, dims, 2), 2);
  EXPECT_THAT(dims, ElementsAre(-1, 4));
  EXPECT_EQ(api().output_shape(graph.get(), any, dims, 2), -1);
  EXPECT_EQ(api().output_shape(graph.get(), variable, nullptr, 0), 0);
  EXPECT_EQ(api().output_dtype(variable), kFloat + 100);
  EXPECT_EQ(api().output_dtype({x.operation, 1}), 0);
  EXPECT_EQ(api().output_shape(graph.get(), {x.operation, -1}, dims, 2), -1);
}

std::string attr_of(void* operation, const char* name, FermataStatus* status) {
  std::string bytes;
  api().operation_attr(
      operation, name,
      [](void* user, const void* data, uint64_t size) {
        static_cast<std::string*>(user)->assign(static_cast<const char*>(data), size);
      },
      &bytes, status);
  return bytes;
}

TEST(PluginGraphTest, HandsOutAttributes) {
  TestGraph graph;
  const FermataOutput x = graph.add("Placeholder", "x", {}, {{"dtype", type_attr(kFloat)}});
  FermataStatus status;
  EXPECT_EQ(attr_of(x.operation, "dtype", &status), type_attr(kFloat));
  EXPECT_EQ(text_of(status), "");
  EXPECT_EQ(attr_of(x.operation, "size", &status), "");
  EXPECT_EQ(text_of(status), "5: Operation 'x' has no attr named 'size'.");
}

TEST(PluginGraphTest, WritesAGraphDefThatCanBeImported) {
  TestGraph first;
  first.import_fixture("counter");
  std::string bytes;
  FermataStatus status;
  api().graph_to_graph_def(
      first.get(),
      [](void* user, const void* data, uint64_t size) {
        static_cast<std::string*>(user)->assign(static_cast<const char*>(data), size);
      },
      &bytes, &status);
  ASSERT_EQ(text_of(status), "");
  TestGraph second;
  EXPECT_EQ(text_of(second.import(bytes)), "");
  EXPECT_EQ(second.names(), first.names());
}

TEST(PluginGraphTest, SaysWhyAnImportFails) {
  TestGraph graph;
  EXPECT_EQ(text_of(graph.import("this is no message")), "3: Invalid GraphDef");
  const FermataStatus status = graph.import(read_graph_def(fixture_path("unknown_op")));
  EXPECT_THAT(text_of(status), testing::StartsWith("5: Op type not registered"));
  EXPECT_TRUE(graph.names().empty());
}

TEST(PluginNodeTest, TakesListsDevicesAndControlInputs) {
  TestGraph graph;
  const FermataOutput a =
      graph.add("Const", "a", {}, {{"value", float_tensor_attr(1)}, {"dtype", type_attr(kFloat)}});
  const FermataOutput b =
      graph.add("Const", "b", {}, {{"value", float_tensor_attr(2)}, {"dtype", type_attr(kFloat)}});
  const FermataOutput both[] = {a, b};
  void* sum = nullptr;
  EXPECT_EQ(text_of(graph.try_add("AddN", "sum", {{both, 2, 1}}, {}, {a.operation, b.operation}, &sum)), "");
  EXPECT_EQ(api().operation_num_inputs(sum), 2);
  EXPECT_EQ(api().operation_num_control_inputs(sum), 2);
  const FermataNode node{"NoOp", "there", "/cpu:0", nullptr, 0, nullptr, 0, nullptr, 0};
  FermataStatus status;
  void* const there = api().graph_add(graph.get(), &node, &status);
  ASSERT_EQ(text_of(status), "");
  EXPECT_STREQ(api().operation_device(there), "/cpu:0");
}

// What TensorFlow says about a node that cannot be added, and that the graph is as before.
std::string refusal(TestGraph& graph, const std::string& type, const std::vector<FermataNodeInput>& inputs,
                    const std::vector<NodeAttr>& attrs) {
  const std::vector<std::string> before = graph.names();
  void* added = nullptr;
  const FermataStatus status = graph.try_add(type, "new", inputs, attrs, {}, &added);
  EXPECT_EQ(added, nullptr);
  EXPECT_EQ(graph.names(), before);
  return text_of(status);
}

TEST(PluginNodeTest, LeavesTheGraphAsItWasOnFailure) {
  TestGraph graph;
  const FermataOutput a =
      graph.add("Const", "a", {}, {{"value", float_tensor_attr(1)}, {"dtype", type_attr(kFloat)}});
  const FermataOutput beyond{a.operation, 1};
  EXPECT_THAT(refusal(graph, "NoSuchOp", {}, {}), HasSubstr("NoSuchOp"));
  EXPECT_THAT(refusal(graph, "NoSuchOp", {{&a, 1, 0}}, {}), HasSubstr("NoSuchOp"));
  EXPECT_THAT(refusal(graph, "Placeholder", {}, {}), HasSubstr("dtype"));
  EXPECT_THAT(refusal(graph, "NoOp", {}, {{"any", "no message"}}), HasSubstr("AttrValue"));
  EXPECT_EQ(refusal(graph, "Identity", {{&beyond, 1, 0}}, {}),
            "3: input 0 of the new node 'new' names an output that its operation does not have");
  EXPECT_EQ(refusal(graph, "Identity", {{&a, 0, 0}}, {}),
            "3: input 0 of the new node 'new' is no list and needs one tensor, but has 0");
  void* added = nullptr;
  EXPECT_THAT(text_of(graph.try_add("NoOp", "a", {}, {}, {}, &added)), HasSubstr("Duplicate"));
}

}  // namespace
}  // namespace fermata::tensorflow_plugin
