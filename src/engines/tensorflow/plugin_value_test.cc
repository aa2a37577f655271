#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "engines/tensorflow/plugin_fixture.h"

namespace fermata::tensorflow_plugin {
namespace {

using testing::ElementsAre;

void count_release(void* user) { ++*static_cast<int*>(user); }

struct Echo {
  explicit Echo(int dtype) : x(graph.add("Placeholder", "x", {}, {{"dtype", type_attr(dtype)}})) {
    y = graph.add("Identity", "y", {x});
  }

  TestGraph graph;
  FermataOutput x;
  FermataOutput y;
};

TEST(PluginValueTest, AlignedMemoryIsUsedAsItIs) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  alignas(64) const std::array<float, 6> data{0, 1, 2, 3, 4, 5};
  int released = 0;
  {
    TestOutputs outputs(plan);
    {
      const TestValue value(kFloat, {2, 3}, data.data(), count_release, &released);
      ASSERT_EQ(text_of(outputs.run({&value})), "");
      EXPECT_EQ(released, 0);
    }
    // The result lies in the caller's memory, which is kept as long as it can be seen.
    EXPECT_EQ(outputs.views[0].data, data.data());
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(PluginValueTest, OtherMemoryIsCopiedAndReleasedAtOnce) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  alignas(64) std::array<float, 3> data{0, 7, 8};
  int released = 0;
  const TestValue value(kFloat, {2}, &data[1], count_release, &released);
  EXPECT_EQ(released, 1);
  data = {};
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run({&value})), "");
  EXPECT_EQ(outputs.value<float>(0, 0), 7);
  EXPECT_EQ(outputs.value<float>(0, 1), 8);
}

TEST(PluginValueTest, AValueOutlivesItsRunsAndIsReleasedOnce) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  alignas(64) const float data[1] = {3};
  int released = 0;
  TestOutputs outputs(plan);
  {
    const TestValue value(kFloat, {}, data, count_release, &released);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(text_of(outputs.run({&value})), "");
  }
  const TestValue other = TestValue::floats({1}, data);
  ASSERT_EQ(text_of(outputs.run({&other})), "");
  EXPECT_EQ(released, 1);
}

TEST(PluginValueTest, ShapesComeBackAsTheyWere) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  TestOutputs outputs(plan);
  alignas(64) const std::array<float, 24> data{};
  const std::vector<std::vector<int64_t>> shapes = {{}, {0}, {1}, {2, 0, 3}, {2, 3, 4}, {1, 1, 1, 1, 1, 1}};
  for (const std::vector<int64_t>& shape : shapes) {
    const TestValue value = TestValue::floats(shape, data.data());
    ASSERT_EQ(text_of(outputs.run({&value})), "");
    EXPECT_EQ(outputs.shape(0), shape);
    EXPECT_EQ(outputs.views[0].dtype, kFloat);
  }
  EXPECT_EQ(outputs.views[0].num_elements, 1U);
}

TEST(PluginValueTest, AnEmptyValueNeedsNoMemory) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  TestOutputs outputs(plan);
  const TestValue value = TestValue::floats({0, 4}, nullptr);
  ASSERT_EQ(text_of(outputs.run({&value})), "");
  EXPECT_THAT(outputs.shape(0), ElementsAre(0, 4));
  EXPECT_EQ(outputs.views[0].num_elements, 0U);
}

TEST(PluginValueTest, StringsGoInAndOut) {
  const Echo echo(kString);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  TestOutputs outputs(plan);
  const std::vector<std::string> texts = {"", std::string("a\0b", 3), std::string(1000, 'x'), "short"};
  const TestValue value = TestValue::strings(texts);
  ASSERT_EQ(text_of(outputs.run({&value})), "");
  ASSERT_EQ(outputs.views[0].dtype, kString);
  ASSERT_EQ(outputs.views[0].num_elements, texts.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(outputs.text(0, i), texts[i]);
  const TestValue fewer = TestValue::strings({"last"});
  ASSERT_EQ(text_of(outputs.run({&fewer})), "");
  EXPECT_EQ(outputs.text(0), "last");
}

TEST(PluginValueTest, AVariableKeepsStringsOfItsOwn) {
  TestGraph graph;
  const std::vector<NodeAttr> type = {{"dtype", type_attr(kString)}};
  const FermataOutput x = graph.add("Placeholder", "x", {}, type);
  const FermataOutput v =
      graph.add("VarHandleOp", "v", {}, {{"dtype", type_attr(kString)}, {"shape", shape_attr({1})}});
  const FermataOutput assign = graph.add("AssignVariableOp", "assign", {v, x}, type);
  const FermataOutput read = graph.add("ReadVariableOp", "read", {v}, type);
  const TestSession session(graph);
  const TestPlan write(session, {.targets = {assign.operation}, .feeds = {x}});
  {
    const TestValue value = TestValue::strings({std::string(100, 'y')});
    ASSERT_EQ(text_of(TestOutputs(write).run({&value})), "");
  }
  const TestPlan plan(session, {.fetches = {read}});
  TestOutputs outputs(plan);
  ASSERT_EQ(text_of(outputs.run()), "");
  EXPECT_EQ(outputs.text(0), std::string(100, 'y'));
}

TEST(PluginValueTest, RefusesWhatIsNoValueAndReleasesIt) {
  int released = 0;
  const float data[1] = {1};
  EXPECT_EQ(text_of(TestValue(kResource, {1}, data, count_release, &released).status),
            "3: a value of type resource cannot be fed");
  EXPECT_EQ(text_of(TestValue(99, {1}, data, count_release, &released).status),
            "3: a value of type dtype 99 cannot be fed");
  EXPECT_EQ(text_of(TestValue(kFloat, {-1}, data, count_release, &released).status),
            "3: a value to be fed has an impossible shape");
  EXPECT_EQ(text_of(TestValue(kFloat, {1}, nullptr, count_release, &released).status),
            "3: a value to be fed has 1 elements and no data");
  const int64_t dims[1] = {2};
  const FermataTensorView torn{kFloat, 1, dims, data, 1};
  FermataStatus status;
  EXPECT_EQ(api().tensor_new(&torn, count_release, &released, &status), nullptr);
  EXPECT_EQ(text_of(status), "3: a value to be fed has 1 elements, and its shape says 2");
  EXPECT_EQ(released, 5);
}

TEST(PluginValueTest, RefusesAnotherTypeThanTheGraphs) {
  const Echo echo(kFloat);
  const TestSession session(echo.graph);
  const TestPlan plan(session, {.fetches = {echo.y}, .feeds = {echo.x}});
  TestOutputs outputs(plan);
  const int32_t data[1] = {1};
  const TestValue wrong(kInt32, {1}, data);
  EXPECT_EQ(text_of(outputs.run({&wrong})),
            "3: 'x:0' takes values of type float32 and was fed one of type int32");
  const float right_data[1] = {2};
  const TestValue right = TestValue::floats({1}, right_data);
  EXPECT_EQ(text_of(outputs.run({&right})), "");
}

TEST(PluginValueTest, RefusesAnotherShapeThanTheGraphs) {
  TestGraph graph;
  const FermataOutput x =
      graph.add("Placeholder", "x", {}, {{"dtype", type_attr(kFloat)}, {"shape", shape_attr({-1, 2})}});
  const TestSession session(graph);
  const TestPlan plan(session, {.fetches = {graph.add("Identity", "y", {x})}, .feeds = {x}});
  TestOutputs outputs(plan);
  const float data[6] = {};
  const TestValue right = TestValue::floats({3, 2}, data);
  const TestValue wider = TestValue::floats({2, 3}, data);
  const TestValue flat = TestValue::floats({2}, data);
  EXPECT_EQ(text_of(outputs.run({&right})), "");
  EXPECT_EQ(text_of(outputs.run({&wider})),
            "3: 'x:0' takes values of shape [?,2] and was fed one of shape [2,3]");
  EXPECT_EQ(text_of(outputs.run({&flat})),
            "3: 'x:0' takes values of shape [?,2] and was fed one of shape [2]");
}

}  // namespace
}  // namespace fermata::tensorflow_plugin
