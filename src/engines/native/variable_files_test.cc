#include "engines/native/variable_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <protozero/pbf_writer.hpp>

#include "checkpoint/bundle_writer.h"
#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A graph with a variable of each kind, over memory that the test sees.
struct Model {
  Model() {
    graph.variable("w", view(w, {2, 2}));
    graph.local_variable("lv", view(local));
    graph.variable(
        "items",
        {.save = [this] { return Tensor::of<int>({static_cast<std::int64_t>(items.size())}, items); },
         .load =
             [this](const TensorView& value) {
               items.assign(value.values<int>().begin(), value.values<int>().end());
             }});
  }

  std::vector<float> w = std::vector<float>(4);
  double local = 1;
  std::vector<int> items;
  Graph graph;
};

class NativeVariableFilesTest : public testing::Test {
 protected:
  NativeVariableFilesTest() { std::filesystem::create_directories(dir); }
  ~NativeVariableFilesTest() override { std::filesystem::remove_all(dir); }

  void save_trained() {
    const auto session = ready_session(trained.graph);
    trained.w = {1, 2, 3, 4};
    trained.items = {5, 6, 7};
    trained.graph.set_global_step(42);
    session->save_variables({}, prefix);
  }

  const std::filesystem::path dir =
      std::filesystem::path(testing::TempDir()) / ("fermata_native_" + std::to_string(::getpid()));
  const std::string prefix = dir / "model.ckpt";
  Model trained;
  Model fresh;
};

TEST_F(NativeVariableFilesTest, WhatWasSavedIsRestoredIntoAnotherGraph) {
  save_trained();
  const auto session = fresh.graph.create_session({});
  session->restore_variables({}, prefix);
  EXPECT_THAT(fresh.w, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(fresh.items, ElementsAre(5, 6, 7));
  EXPECT_EQ(session->read_step(), 42);
}

TEST_F(NativeVariableFilesTest, RestoringInitialisesWhatIsSaved) {
  save_trained();
  const auto session = fresh.graph.create_session({});
  session->restore_variables({}, prefix);
  EXPECT_THAT(texts_of(session->run(fresh.graph.default_ready_op())), ElementsAre("lv"));
}

TEST_F(NativeVariableFilesTest, ASaverMayNameItsVariables) {
  const auto session = ready_session(trained.graph);
  trained.w[0] = 8;
  session->save_variables({.variables = {"w"}}, prefix);
  fresh.items = {3};
  const auto other = fresh.graph.create_session({});
  other->restore_variables({.variables = {"w"}}, prefix);
  EXPECT_EQ(fresh.w[0], 8.0F);
  EXPECT_THAT(fresh.items, ElementsAre(3));
  EXPECT_THAT(error_of([&] { session->save_variables({.variables = {"lv"}}, prefix); }),
              HasSubstr("NOT_FOUND: the saver names 'lv'"));
}

TEST_F(NativeVariableFilesTest, WhatIsUninitialisedIsNotSaved) {
  const auto session = trained.graph.create_session({});
  EXPECT_THAT(error_of([&] { session->save_variables({}, prefix); }),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("uninitialized"), Not(HasSubstr("lv"))));
  EXPECT_FALSE(std::filesystem::exists(prefix + ".index"));
}

// An object whose variable was called `name`, in the message about all objects.
void add_object(std::string& graph_of_objects, const std::string& name, const std::string& key) {
  protozero::pbf_writer graph(graph_of_objects);
  protozero::pbf_writer object(graph, 1);
  protozero::pbf_writer value(object, 2);
  value.add_string(2, name);
  value.add_string(3, key);
}

// Contract SAVER-17.
TEST_F(NativeVariableFilesTest, ABundleOfObjectsIsReadByNames) {
  std::string objects;
  add_object(objects, "w", "model/w");
  add_object(objects, "global_step", "at");
  BundleWriter writer(prefix);
  writer.add("_CHECKPOINTABLE_OBJECT_GRAPH", Tensor::string_scalar(objects).view());
  writer.add("model/w", Tensor::of<float>({2, 2}, {1, 2, 3, 4}).view());
  writer.add("at", Tensor::scalar(std::int64_t{8}).view());
  writer.add("items", Tensor::of<int>({1}, {5}).view());
  writer.finish();
  const auto session = fresh.graph.create_session({});
  session->restore_variables({}, prefix);
  EXPECT_THAT(fresh.w, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(fresh.items, ElementsAre(5));
  EXPECT_EQ(session->read_step(), 8);
  EXPECT_THAT(session->restore_available({}, prefix), ElementsAre());
}

// Contract SAVER-21.
TEST_F(NativeVariableFilesTest, EveryDifferenceIsNamedAndNothingChanges) {
  BundleWriter writer(prefix);
  writer.add("w", Tensor::of<float>({4}, {1, 2, 3, 4}).view());
  writer.add("items", Tensor::scalar(1.0F).view());
  writer.finish();
  fresh.w = {9, 9, 9, 9};
  const auto session = fresh.graph.create_session({});
  EXPECT_EQ(
      error_of([&] { session->restore_variables({}, prefix); }),
      "INVALID_ARGUMENT: the checkpoint '" + prefix +
          "' does not fit the graph, nothing was restored: 'global_step' is not in the checkpoint; 'w' is "
          "float32[4] in the checkpoint but float32[2,2] in the graph; 'items' is float32[] in the "
          "checkpoint "
          "but int32 of any shape in the graph");
  EXPECT_THAT(fresh.w, ElementsAre(9, 9, 9, 9));
  EXPECT_THROW((void)session->read_step(), Error);
}

TEST_F(NativeVariableFilesTest, AtMostFiveDifferencesAreNamed) {
  BundleWriter writer(prefix);
  writer.add("other", Tensor::scalar(1.0F).view());
  writer.finish();
  float memory = 0;
  for (int i = 0; i < 10; ++i) {
    fresh.graph.variable("v" + std::to_string(i), view(memory));
  }
  EXPECT_THAT(error_of([&] { fresh.graph.create_session({})->restore_variables({}, prefix); }),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("'v1' is not"), Not(HasSubstr("'v2'")),
                    HasSubstr("; and 8 more")));
}

TEST_F(NativeVariableFilesTest, ADamagedFileChangesNothing) {
  save_trained();
  std::fstream data(prefix + ".data-00000-of-00001", std::ios::in | std::ios::out | std::ios::binary);
  data.seekp(-1, std::ios::end);
  data.put('\x7F');
  data.close();
  fresh.w = {9, 9, 9, 9};
  const auto session = fresh.graph.create_session({});
  EXPECT_THAT(error_of([&] { session->restore_variables({}, prefix); }), HasSubstr("DATA_LOSS"));
  EXPECT_THAT(fresh.w, ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(fresh.items, ElementsAre());
}

TEST_F(NativeVariableFilesTest, WhatIsThereIsRestoredAndTheRestNamed) {
  save_trained();
  float added = 3;
  fresh.graph.variable("added", view(added));
  const auto session = fresh.graph.create_session({});
  run(*session, fresh.graph.default_init_op());
  EXPECT_THAT(session->restore_available({}, prefix), ElementsAre("added"));
  EXPECT_THAT(fresh.w, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(added, 3.0F);
}

}  // namespace
}  // namespace fermata::native
