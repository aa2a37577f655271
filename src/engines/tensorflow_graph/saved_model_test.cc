// SavedModels: their values, their signatures, their steps, and what is said about odd ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engines/tensorflow_graph/model_test_support.h"
#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDigits = "examples/digits/digits_saved_model";

// Eight rows of y = 2x + 1.
struct Line {
  Line() {
    std::vector<float> inputs;
    std::vector<float> targets;
    for (int i = 0; i < 8; ++i) {
      inputs.push_back(static_cast<float>(i) / 8);
      targets.push_back(2 * inputs.back() + 1);
    }
    x = Tensor::of<float>({8, 1}, inputs);
    y = Tensor::of<float>({8, 1}, targets);
  }
  Tensor x;
  Tensor y;
};

PlanRequest line_request(const Model& model) {
  PlanRequest request = train_request(model);
  if (request.fetches.empty()) {
    request.fetches.push_back(model.loss().value());
  }
  request.feeds = {model.find_input("x"), model.find_input("y")};
  return request;
}

std::vector<Step> train_line(Trainer& trainer, int count) {
  const Line line;
  return trainer.train(count, line_request(trainer.model), {&line.x, &line.y});
}

TEST(SavedModelTest, TrainsAndTellsItsStep) {
  Trainer trainer(fixture("saved_model_module"));
  EXPECT_TRUE(trainer.model.is_saved_model());
  EXPECT_EQ(trainer.model.global_step_name(), "step");
  EXPECT_EQ(train_line(trainer, 5), (std::vector<Step>{1, 2, 3, 4, 5}));
  EXPECT_LT(trainer.losses.back(), trainer.losses.front());
  EXPECT_EQ(trainer.session->read_step(), 5);
}

TEST(SavedModelTest, SignaturesAreShown) {
  const Model model = open(project_file(kDigits));
  ASSERT_EQ(model.signatures().size(), 2U);
  const Signature& train = model.signatures()[1];
  EXPECT_EQ(train.key, "train");
  EXPECT_EQ(train.inputs[0].name, "x");
  EXPECT_EQ(train.inputs[0].tensor, "train_x:0");
  EXPECT_EQ(train.inputs[0].spec.shape, (Shape{-1, 64}));
  EXPECT_EQ(train.outputs[1].name, "step");
  EXPECT_EQ(train.outputs[1].spec.dtype, DType::kInt64);
  EXPECT_EQ(model.train_op().name(), "StatefulPartitionedCall_1:0");
  EXPECT_EQ(model.loss()->name(), "StatefulPartitionedCall_1:0");
  EXPECT_EQ(model.find_input("y").name(), "train_y:0");
  // Only one other signature has it.
  EXPECT_EQ(model.find_output("accuracy").name(), "StatefulPartitionedCall:0");
  EXPECT_EQ(message_of([&] { static_cast<void>(model.find_input("yy")); }),
            "the model has no input 'yy'; did you mean 'y' or 'x'?");
  EXPECT_EQ(model.placeholders().size(), 2U);
  EXPECT_THAT(model.warnings(), ElementsAre());
}

TEST(SavedModelTest, VariablesHaveTheirKeysInTheCheckpoint) {
  const Model model = open(project_file(kDigits));
  const std::vector<VariableInfo> variables = model.variables();
  ASSERT_EQ(variables.size(), 13U);
  const auto kernel = std::find_if(variables.begin(), variables.end(),
                                   [](const VariableInfo& v) { return v.name == "hidden/kernel"; });
  EXPECT_EQ(kernel->checkpoint_key, "weights/0/.ATTRIBUTES/VARIABLE_VALUE");
  EXPECT_EQ(kernel->spec.shape, (Shape{64, 32}));
  EXPECT_TRUE(kernel->trainable);
}

TEST(SavedModelTest, StartsFromItsOwnValuesWhereverItLies) {
  const TempFolder folder;
  std::filesystem::copy(fixture("saved_model_v1_trainer"), folder / "moved",
                        std::filesystem::copy_options::recursive);
  Trainer trainer(folder / "moved", {.tags = {"train"}, .train_signature = "loss"});
  EXPECT_EQ(trainer.model.train_op().name(), "train");
  EXPECT_EQ(trainer.model.global_step_name(), "global_step");
  EXPECT_EQ(train_line(trainer, 3), (std::vector<Step>{1, 2, 3}));
}

TEST(SavedModelTest, SavesAndRestores) {
  const TempFolder folder;
  Trainer trainer(fixture("saved_model_module"));
  train_line(trainer, 4);
  const SaverDef saver = trainer.model.default_saver().value();
  EXPECT_EQ(saver.max_to_keep, 5);
  trainer.session->save_variables(saver, folder / "at-4");
  trainer.losses.clear();
  train_line(trainer, 2);
  Trainer other(fixture("saved_model_module"));
  other.session->restore_variables(saver, folder / "at-4");
  EXPECT_EQ(train_line(other, 2), (std::vector<Step>{5, 6}));
  EXPECT_EQ(other.losses, trainer.losses);
}

TEST(SavedModelTest, RefusesACheckpointOfAnotherModel) {
  Trainer trainer(fixture("saved_model_module"));
  const std::string other = project_file(std::string(kDigits) + "/variables/variables");
  EXPECT_THAT(
      message_of([&] { trainer.session->restore_variables(trainer.model.default_saver().value(), other); }),
      HasSubstr("is of another graph: it lacks 4 of the graph's variables (slope, offset, "
                "slope/momentum, offset/momentum)"));
}

TEST(SavedModelTest, WarmStartNamesVariables) {
  Trainer trainer(fixture("saved_model_module"));
  const std::string other = project_file(std::string(kDigits) + "/variables/variables");
  std::vector<std::string> missing =
      trainer.session->restore_available(trainer.model.default_saver().value(), other);
  std::sort(missing.begin(), missing.end());
  EXPECT_THAT(missing, ElementsAre("offset", "offset/momentum", "slope", "slope/momentum"));
}

TEST(SavedModelTest, KerasCountsInItsOptimizer) {
  Trainer trainer(fixture("saved_model_keras"));
  EXPECT_EQ(trainer.model.global_step_name(), "adam/iteration");
  EXPECT_EQ(train_line(trainer, 3), (std::vector<Step>{1, 2, 3}));
  EXPECT_THAT(trainer.model.warnings(), ElementsAre());
}

TEST(SavedModelTest, WeightsThatAreStoredTwiceAreTold) {
  Trainer trainer(fixture("saved_model_keras_export_archive"));
  ASSERT_EQ(trainer.model.warnings().size(), 2U);
  EXPECT_THAT(trainer.model.warnings()[0], HasSubstr("the model stores 4 weights twice ("));
  EXPECT_THAT(trainer.model.warnings()[1],
              HasSubstr("the signature 'serving_default' uses the same variables"));
  EXPECT_EQ(train_line(trainer, 3), (std::vector<Step>{1, 2, 3}));
}

TEST(SavedModelTest, ModelThatFailsInEachRunIsTold) {
  const Model model = open(fixture("saved_model_keras_held"));
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_THAT(model.warnings()[0], HasSubstr("so each of its runs will fail"));
}

TEST(SavedModelTest, MissingSignatureIsNamed) {
  const std::string path = fixture("saved_model_no_train");
  const Model model = open(path);
  EXPECT_FALSE(model.has_train_op());
  EXPECT_EQ(message_of([&] { static_cast<void>(model.train_op()); }),
            "the SavedModel '" + path +
                "' has no signature 'train' that trains; it has: serving_default; name the one that trains "
                "(--signature) "
                "or an operation (--train-op)");
}

TEST(SavedModelTest, TagsChooseTheGraph) {
  const std::string path = fixture("saved_model_other_tag");
  // The only one is taken whatever its tags are.
  EXPECT_TRUE(open(path).has_train_op());
  EXPECT_TRUE(open(path, {.tags = {"cpu", "training"}}).has_train_op());
  EXPECT_EQ(
      message_of([&] { static_cast<void>(open(path, {.tags = {"serve"}})); }),
      "'" + path +
          "/saved_model.pb' holds no graph with the tags [serve]; it holds [training,cpu]: choose one of "
          "them by its tags");
}

TEST(SavedModelTest, FolderWithoutAModelIsRefused) {
  const TempFolder folder;
  EXPECT_EQ(message_of([&] { static_cast<void>(open(folder.path())); }),
            "'" + folder.path() +
                "' is a folder without saved_model.pb, so it is no SavedModel; give a .meta file or the "
                "folder of a "
                "SavedModel");
}

TEST(SavedModelTest, ExecutorsGiveTheSameLosses) {
  std::vector<std::vector<double>> losses;
  for (const Executor executor : {Executor::kPool, Executor::kCaller, Executor::kSingle}) {
    Trainer trainer(fixture("saved_model_module"), {}, {.executor = executor});
    EXPECT_EQ(train_line(trainer, 5), (std::vector<Step>{1, 2, 3, 4, 5}));
    losses.push_back(trainer.losses);
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(losses[0], losses[2]);
}

}  // namespace
}  // namespace fermata::tensorflow
