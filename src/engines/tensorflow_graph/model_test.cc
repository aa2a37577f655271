// What an opened model says about itself, and what it says about files that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engines/tensorflow_graph/model_test_support.h"
#include "platform/file_content.h"
#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string open_error(const std::string& path, OpenOptions options = {}) {
  return message_of([&] { static_cast<void>(open(path, options)); });
}

TEST(ModelTest, CollectionsAreNames) {
  const Model model = open(fixture("counter.meta"));
  EXPECT_THAT(model.collection("train_op"), ElementsAre("train"));
  EXPECT_THAT(model.collection("global_step"), ElementsAre("global_step:0"));
  EXPECT_THAT(model.collection("variables"), ElementsAre("global_step:0", "w:0"));
  EXPECT_THAT(model.collection("ready_op"), ElementsAre("concat:0"));
  EXPECT_THAT(model.collection("no such"), ElementsAre());
  EXPECT_THAT(model.collection_keys(), testing::Contains("losses"));
}

TEST(ModelTest, VariablesHaveTheTypeOfTheirValue) {
  const Model model = open(project_file("examples/digits/digits.meta"));
  const std::vector<VariableInfo> variables = model.variables();
  ASSERT_EQ(variables.size(), 15U);
  EXPECT_EQ(variables[0].name, "hidden/kernel");
  EXPECT_EQ(variables[0].spec.dtype, DType::kFloat);
  EXPECT_EQ(variables[0].spec.shape, (Shape{64, 32}));
  EXPECT_TRUE(variables[0].trainable);
  EXPECT_EQ(variables[4].name, "global_step");
  EXPECT_FALSE(variables[4].trainable);
}

TEST(ModelTest, LocalVariablesAreMarked) {
  const Model model = open(fixture("queue.meta"));
  const std::vector<VariableInfo> variables = model.variables();
  EXPECT_EQ(variables.back().name, "input_producer/limit_epochs/epochs");
  EXPECT_TRUE(variables.back().local);
  EXPECT_TRUE(model.has_own_input());
}

// report CU-03
TEST(ModelTest, TrainOpAndLossComeFromCollections) {
  const Model model = open(fixture("counter.meta"));
  EXPECT_EQ(model.train_op().name(), "train");
  EXPECT_EQ(model.loss()->name(), "loss:0");
  EXPECT_TRUE(model.has_global_step());
  EXPECT_EQ(model.global_step_name(), "global_step");
  EXPECT_FALSE(model.is_saved_model());
  EXPECT_FALSE(model.has_own_input());
  EXPECT_EQ(model.runtime_version(), "2.21.0");
}

// report CU-03
TEST(ModelTest, MissingTrainOpSaysWhatToDo) {
  const std::string path = fixture("no_train_op.meta");
  const Model model = open(path);
  EXPECT_FALSE(model.has_train_op());
  EXPECT_EQ(
      message_of([&] { static_cast<void>(model.train_op()); }),
      "'" + path +
          "' does not say which operation trains: its collection 'train_op' is empty; name the operation "
          "(--train-op)");
}

TEST(ModelTest, TrainOpThatIsNamedMustBeThere) {
  EXPECT_EQ(open_error(fixture("counter.meta"), {.train_op = "trian"}),
            "the graph has no operation 'trian'; did you mean 'train'?");
}

TEST(ModelTest, SeveralTrainOpsAreListed) {
  Model model = open(fixture("counter.meta"));
  model.add_to_collection("train_op", "train");
  EXPECT_EQ(model.train_op().name(), "train");
  model.add_to_collection("train_op", "group_deps");
  EXPECT_EQ(message_of([&] { static_cast<void>(model.train_op()); }),
            "the collection 'train_op' must hold one operation, but it holds 2: train, group_deps; say which "
            "one trains "
            "(--train-op)");
}

// report SU-12
TEST(ModelTest, TwoGlobalStepsAreMisuse) {
  const Model model = open(fixture("two_global_steps.meta"));
  EXPECT_EQ(message_of([&] { static_cast<void>(model.has_global_step()); }),
            "the collection 'global_step' must hold one step, but it holds 2: first_step:0, second_step:0; "
            "name the one that counts (--global-step)");
  EXPECT_THROW(static_cast<void>(model.has_global_step()), Misuse);
}

// report SU-12
TEST(ModelTest, NamedStepCountsInsteadOfTheCollection) {
  Trainer trainer(fixture("two_global_steps.meta"), {.global_step = "second_step"});
  EXPECT_EQ(trainer.model.global_step_name(), "second_step");
  EXPECT_EQ(trainer.train(2), (std::vector<Step>{1, 2}));
  EXPECT_EQ(open_error(fixture("counter.meta"), {.global_step = "globl_step"}),
            "the graph has no variable or tensor 'globl_step' that could be the global step; did you mean "
            "'global_step'?");
  EXPECT_EQ(open_error(fixture("counter.meta"), {.global_step = "w"}),
            "the global step 'w' must be an integer scalar, but it is float32 of shape []; name another "
            "variable as the "
            "global step");
}

// Contract GS-11.
TEST(ModelTest, StepIsFoundByNameWithoutACollection) {
  const Model model = open(fixture("no_collections.meta"));
  EXPECT_TRUE(model.has_global_step());
  EXPECT_EQ(model.global_step_name(), "global_step");
  EXPECT_FALSE(open(fixture("no_global_step.meta")).has_global_step());
}

TEST(ModelTest, InputsAreFoundByName) {
  const Model model = open(project_file("examples/digits/digits.meta"));
  EXPECT_EQ(model.find_input("x").name(), "x:0");
  EXPECT_EQ(model.find_input("y:0").name(), "y:0");
  EXPECT_EQ(model.find_output("accuracy").name(), "accuracy:0");
  EXPECT_EQ(message_of([&] { static_cast<void>(model.find_output("acuracy")); }),
            "the model has no tensor 'acuracy'; did you mean 'accuracy' or 'y'?");
  std::vector<std::string> names;
  for (const Output& placeholder : model.placeholders()) {
    names.push_back(placeholder.name());
  }
  EXPECT_THAT(names, ElementsAre("x:0", "y:0"));
}

TEST(ModelTest, WhatBreaksAResumedRunIsNamed) {
  EXPECT_THAT(open(project_file("examples/digits/digits.meta")).unrepeatable_operations(), ElementsAre());
  EXPECT_THAT(open(fixture("partitioned.meta")).unrepeatable_operations(), ElementsAre());
  EXPECT_THAT(open(fixture("queue.meta")).unrepeatable_operations(),
              ElementsAre("input_producer/FIFOQueueV2"));
  EXPECT_THAT(open(fixture("dataset.meta")).unrepeatable_operations(), ElementsAre("IteratorV2"));
  // The random first value of a variable is none of them: it is restored.
  EXPECT_THAT(open(fixture("unrepeatable.meta")).unrepeatable_operations(),
              UnorderedElementsAre("noise/RandomUniform", "shuffled", "OneShotIterator",
                                   "_make_dataset_F1UWwc4Y12k/ShuffleDataset", "files", "lines"));
}

TEST(ModelTest, ReadyOpNamesWhatIsMissing) {
  Model model = open(fixture("no_collections.meta"), {.train_op = "train"});
  const Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  EXPECT_THAT(not_ready(*session, pieces.ready), ElementsAre("global_step", "w"));
  static_cast<void>(session->run(Fetch("w/Assign")));
  EXPECT_THAT(not_ready(*session, pieces.ready), ElementsAre("global_step"));
  static_cast<void>(session->run(Fetch(pieces.init)));
  EXPECT_THAT(not_ready(*session, pieces.ready), ElementsAre());
}

TEST(ModelTest, PiecesAreMadeOnceAndOnlyWhileTheGraphIsOpen) {
  Model model = open(fixture("no_collections.meta"));
  const Operation init = model.default_init_op();
  model.finalize();
  EXPECT_EQ(model.default_init_op(), init);
  EXPECT_THROW(static_cast<void>(model.default_ready_op()), Misuse);
  EXPECT_EQ(model.default_summary_op(), std::nullopt);
}

TEST(ModelTest, SummariesAreMerged) {
  Model model = open(project_file("examples/digits/digits.meta"));
  const Output merged = model.default_summary_op().value();
  EXPECT_EQ(merged.name(), "Merge/MergeSummary_1:0");
  EXPECT_EQ(model.default_summary_op(), merged);
}

// Without its collections of variables a graph still holds all that is needed.
TEST(ModelTest, VariablesAreFoundWithoutCollections) {
  for (const char* name : {"counter.meta", "counter_ref.meta", "partitioned.meta"}) {
    const Model listed = open(fixture(name));
    // Field 2 of a MetaGraphDef, with its length in three bytes.
    const std::string graph = listed.graph_def();
    std::string bytes = "\x12";
    for (std::size_t rest = graph.size(); rest != 0; rest >>= 7) {
      bytes += static_cast<char>((rest & 0x7F) | (rest >> 7 != 0 ? 0x80 : 0));
    }
    Model model = open_meta_graph(bytes + graph, {.train_op = "train"});
    ASSERT_EQ(model.variables().size(), listed.variables().size()) << name;
    const Pieces pieces(model);
    const std::unique_ptr<Session> session = model.create_session({});
    initialize(*session, pieces);
    EXPECT_EQ(session->read_step(), 0) << name;
  }
}

TEST(ModelTest, DefinitionIsTheFileAsLongAsNothingIsAdded) {
  const std::string path = fixture("counter.meta");
  Model model = open(path);
  EXPECT_EQ(model.meta_graph_def(), read_whole_file(FileSystem::system(), path));
}

TEST(ModelTest, DefinitionHoldsWhatWasAdded) {
  Model model = open(fixture("no_collections.meta"));
  const Operation init = model.default_init_op();
  model.add_to_collection("init_op", init.name());
  const SaverDef saver = model.default_saver().value();
  const std::unique_ptr<Session> session = model.create_session({});
  static_cast<void>(session->run(Fetch(init)));
  EXPECT_EQ(session->read_step(), 0);
  Model again = open_meta_graph(model.meta_graph_def());
  EXPECT_THAT(again.collection("init_op"), ElementsAre(init.name()));
  EXPECT_EQ(again.default_saver()->restore_op_name, saver.restore_op_name);
  EXPECT_EQ(again.variables().size(), 2U);
  EXPECT_FALSE(again.find_operation("fermata/step_read"));
}

TEST(ModelTest, NodesAreAddedWhileTheGraphIsOpen) {
  Model model = open(fixture("counter.meta"));
  const Operation copy = model.add_operation({.type = "Identity",
                                              .name = "mine",
                                              .inputs = {{{model.tensor("loss:0")}}},
                                              .control_inputs = {model.operation("train")}});
  EXPECT_EQ(message_of([&] { static_cast<void>(model.add_operation({.type = "NoOp", .name = "mine"})); }),
            "the graph has an operation 'mine' already; choose another name");
  EXPECT_EQ(model.operation_type(copy.node), "Identity");
  model.finalize();
  EXPECT_THROW(static_cast<void>(model.add_operation({.type = "NoOp", .name = "late"})), Misuse);
}

TEST(ModelTest, UnknownOperationIsNamed) {
  const std::string path = fixture("unknown_op.meta");
  EXPECT_EQ(open_error(path),
            "'" + path +
                "' uses the operation 'Sqrx', which TensorFlow 2.21.0 does not have; export the "
                "graph without it, or with operations of this version");
}

TEST(ModelTest, BadFilesAreOneSentenceEach) {
  EXPECT_EQ(open_error("no/such.meta"),
            "'no/such.meta': there is no such file; give a .meta file or the folder of a SavedModel");
  EXPECT_EQ(open_error(fixture("empty.meta")),
            "'" + fixture("empty.meta") + "' should hold a MetaGraph, but it is empty; export it again");
  for (const char* name : {"not_a_metagraph.meta", "graph_def.meta"}) {
    EXPECT_THAT(open_error(fixture(name)),
                testing::MatchesRegex(
                    "'.*' should hold a MetaGraph, but it is something else: .*; give a .meta file or "
                    "the folder of a SavedModel"));
  }
  EXPECT_THAT(open_error(fixture("truncated.meta")),
              testing::MatchesRegex(
                  "'.*' should hold a whole MetaGraph, but it is cut off: the field at byte .* should "
                  "have .* bytes, but only .* follow; copy or export it again"));
}

TEST(ModelTest, EveryCutOfAFileIsRefused) {
  const std::string whole = read_whole_file(FileSystem::system(), fixture("no_collections.meta"));
  int opened = 0;
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    const std::string cut = whole.substr(0, size);
    opened += message_of([&] { static_cast<void>(open_meta_graph(cut)); }) == "(no error)" ? 1 : 0;
  }
  // A cut that falls between two fields leaves a smaller MetaGraph.
  EXPECT_LE(opened, 2);
}

}  // namespace
}  // namespace fermata::tensorflow
