#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"
#include "fermata/native.h"

namespace fermata::native {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The example of the documentation, letter for letter.
TEST(NativeGraphTest, IsBuiltAsTheDocumentationShows) {
  struct {
    std::vector<float> weights = std::vector<float>(640);
    float train(int batch) { return weights[0] = static_cast<float>(batch); }
  } model;
  struct {
    int next() { return 3; }
  } batches;
  native::Graph graph;
  graph.variable("weights", native::view(model.weights, {64, 10}));
  auto train = graph.step("train", {.outputs = {"loss"}},
                          [&](native::StepOutputs& out) { out.set("loss", model.train(batches.next())); });
  auto x = graph.placeholder<float>("x");
  auto x2 = graph.value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); });
  fermata::SessionRunArgs request({train, train.output("loss")});
  const auto session = ready_session(graph);
  EXPECT_EQ(session->run(request)[1].view().scalar<float>(), 3.0F);
  fermata::SessionRunArgs doubled({x2});
  doubled.feed(x, Tensor::scalar(1.5F));
  EXPECT_EQ(session->run(doubled)[0].view().scalar<float>(), 3.0F);
}

TEST(NativeGraphTest, NamesWhatItHolds) {
  Graph graph;
  const Operation train = graph.step("train", {.outputs = {"loss", "norm"}}, nothing);
  EXPECT_EQ(graph.operation("train"), train);
  EXPECT_EQ(graph.tensor("train:1"), train.output("norm"));
  EXPECT_EQ(train.output("loss").name(), "train:0");
  EXPECT_EQ(graph.operation_type(train.node), "step");
  EXPECT_THAT(error_of([&] { (void)graph.operation("trian"); }), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(error_of([&] { (void)train.output("los"); }), HasSubstr("NOT_FOUND"));
}

TEST(NativeGraphTest, RefusesNamesThatAreTakenOrNoNames) {
  Graph graph;
  graph.constant("c", 1.5F);
  EXPECT_THAT(error_of([&] { graph.constant("c", 2.0F); }), HasSubstr("ALREADY_EXISTS: 'c'"));
  EXPECT_THAT(error_of([&] { graph.constant("a:0", 2.0F); }), HasSubstr("INVALID_ARGUMENT: 'a:0'"));
  EXPECT_THAT(error_of([&] { graph.placeholder<float>(""); }), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(error_of([&] { graph.step("global_step", {}, nothing); }), HasSubstr("ALREADY_EXISTS"));
}

TEST(NativeGraphTest, RefusesWhatBelongsToAnotherGraph) {
  Graph graph;
  Graph other;
  const Output c = other.constant("c", 1.5F);
  const Operation op = other.operation("op", {}, nothing);
  EXPECT_THAT(error_of([&] { graph.operation("a", {.inputs = {c}}, nothing); }), HasSubstr("another graph"));
  EXPECT_THAT(error_of([&] { graph.operation("b", {.after = {op}}, nothing); }), HasSubstr("another graph"));
  EXPECT_THAT(error_of([&] { graph.group("g", {op}); }), HasSubstr("another graph"));
  EXPECT_FALSE(graph.find_operation("a"));
}

TEST(NativeGraphTest, RefusesWhatCannotWork) {
  Graph graph;
  const Output c = graph.constant("c", 1.5F);
  EXPECT_THAT(error_of([&] { graph.step("s", {}, nullptr); }), HasSubstr("'s' has no callable"));
  EXPECT_THAT(error_of([&] { graph.step("s", {.increment = -1}, nothing); }), HasSubstr("increment -1"));
  EXPECT_THAT(error_of([&] { graph.constant("d", Tensor()); }), HasSubstr("empty Tensor"));
  EXPECT_THAT(error_of([&] { graph.initializer("i", {c}); }), HasSubstr("'c' is no variable"));
  std::vector<float> memory(6);
  EXPECT_THAT(error_of([&] { (void)view(memory, {2, 2}); }), HasSubstr("needs 4 elements"));
}

// report CU-19
TEST(NativeGraphTest, TakesNothingOnceFinalized) {
  Graph graph;
  graph.finalize();
  float memory = 0;
  EXPECT_THROW(graph.constant("c", 1.5F), Misuse);
  EXPECT_THROW(graph.variable("v", view(memory)), Misuse);
  EXPECT_THROW(graph.step("s", {}, nothing), Misuse);
  EXPECT_THROW(graph.add_to_collection("k", "c"), Misuse);
  EXPECT_THROW((void)graph.default_init_op(), Misuse);
  EXPECT_THROW(graph.on_close([](Session&) {}), Misuse);
}

TEST(NativeGraphTest, KnowsTypesAndShapesAsFarAsTheyWereGiven) {
  Graph graph;
  std::vector<double> memory(6);
  EXPECT_EQ(graph.spec(graph.variable("v", view(memory, {2, 3}))).shape, (Shape{2, 3}));
  EXPECT_EQ(graph.spec(graph.placeholder<int>("p", Shape{-1, 4})).shape, (Shape{-1, 4}));
  EXPECT_FALSE(graph.spec(graph.placeholder<int>("any", std::nullopt)).shape);
  EXPECT_EQ(graph.spec(graph.value("b", {}, [](Inputs) { return true; })).dtype, DType::kBool);
  EXPECT_EQ(graph.spec(graph.value("t", {}, [](Inputs) { return "text"; })).dtype, DType::kString);
  const auto whole = [](Inputs) { return Tensor::scalar(1); };
  EXPECT_EQ(graph.spec(graph.value("w", {}, whole)).dtype, DType::kInvalid);
}

TEST(NativeGraphTest, ListsItsVariables) {
  Graph graph;
  float w = 0;
  graph.variable("w", view(w));
  graph.local_variable("lv", view(w));
  const std::vector<VariableInfo> variables = graph.variables();
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[0].name, "global_step");
  EXPECT_FALSE(variables[0].trainable);
  EXPECT_EQ(variables[1].checkpoint_key, "w");
  EXPECT_TRUE(variables[2].local);
}

TEST(NativeGraphTest, KeepsPiecesInTheirCollections) {
  Graph graph;
  graph.step("train", {}, nothing);
  const Operation init = graph.default_init_op();
  EXPECT_EQ(graph.default_init_op(), init);
  graph.add_to_collection(collections::kInitOp, init.name());
  EXPECT_THAT(graph.collection(collections::kInitOp), ElementsAre("init"));
  EXPECT_THAT(graph.collection(collections::kTrainOp), ElementsAre("train"));
  const Output ready = graph.default_ready_op();
  EXPECT_THAT(graph.collection(collections::kReadyOp), ElementsAre(ready.name()));
  EXPECT_THAT(graph.collection("unknown"), ElementsAre());
}

TEST(NativeGraphTest, PiecesGetFreeNames) {
  Graph graph;
  graph.operation("init", {}, nothing);
  EXPECT_EQ(graph.default_init_op().name(), "init_1");
}

TEST(NativeGraphTest, HasNoSummaryOpWithoutSummaries) {
  Graph graph;
  EXPECT_FALSE(graph.default_summary_op());
  graph.finalize();
  EXPECT_FALSE(graph.default_summary_op());
}

// Contract SCAF-12.
TEST(NativeGraphTest, HasASaverIfThereIsSomethingToSave) {
  Graph without({.global_step = false});
  EXPECT_FALSE(without.default_saver());
  EXPECT_TRUE(Graph().default_saver());
}

TEST(NativeGraphTest, TakesNoRegisteredOperations) {
  Graph graph;
  EXPECT_THAT(error_of([&] { graph.add_operation({.type = "Add", .name = "a"}); }),
              HasSubstr("UNIMPLEMENTED"));
}

TEST(NativeGlobalStepTest, IsFoundByItsCollection) {
  Graph graph({.global_step_name = "bar/foo/global_step"});
  EXPECT_TRUE(graph.has_global_step());
  EXPECT_EQ(graph.global_step_name(), "bar/foo/global_step");
  EXPECT_THAT(graph.collection(collections::kGlobalStep), ElementsAre("bar/foo/global_step:0"));
}

TEST(NativeGlobalStepTest, MayBeMissing) {
  Graph graph({.global_step = false});
  EXPECT_FALSE(graph.has_global_step());
  EXPECT_EQ(graph.global_step_name(), "");
  EXPECT_THROW((void)graph.global_step(), Misuse);
  EXPECT_THROW(graph.set_global_step(1), Misuse);
}

TEST(NativeGlobalStepTest, MayBeAConstantOrVariableOfThatName) {
  Graph graph({.global_step = false});
  graph.constant("global_step", std::int32_t{5});
  EXPECT_EQ(graph.create_session({})->read_step(), 5);
  std::int64_t own = (std::int64_t{1} << 53) + 1;
  Graph other({.global_step = false});
  other.variable("global_step", view(own));
  EXPECT_EQ(ready_session(other)->read_step(), own);
}

// report SU-12
TEST(NativeGlobalStepTest, IsMisuseIfThereAreSeveral) {
  Graph graph;
  std::int64_t other = 0;
  graph.add_to_collection(collections::kGlobalStep, graph.variable("other", view(other)).name());
  EXPECT_THAT(error_of([&] { (void)graph.has_global_step(); }), HasSubstr("holds 2 steps"));
}

TEST(NativeGlobalStepTest, IsMisuseIfItIsNoIntegerScalar) {
  Graph of_float({.global_step = false});
  of_float.constant("global_step", 5.0F);
  EXPECT_THROW((void)of_float.has_global_step(), Misuse);
  Graph of_vector({.global_step = false});
  of_vector.constant("global_step", Tensor::of<std::int64_t>({1}, {5}));
  EXPECT_THROW((void)of_vector.has_global_step(), Misuse);
  Graph of_placeholder({.global_step = false});
  of_placeholder.placeholder<std::int64_t>("global_step");
  EXPECT_THROW((void)of_placeholder.has_global_step(), Misuse);
}

TEST(NativeGraphTest, TheDefaultInitRunsWhatASavedModelWantsToo) {
  Graph graph;
  int runs = 0;
  graph.operation("assets", {}, [&runs](StepOutputs&) { ++runs; });
  graph.add_to_collection(collections::kSavedModelInitializers, "assets");
  static_cast<void>(ready_session(graph));
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace fermata::native
