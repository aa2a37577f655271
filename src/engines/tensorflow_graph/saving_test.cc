// Checkpoints through the graph's own saver: written, read back, refused where they do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/saver.h"
#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

using testing::ElementsAre;

SaverDef saver_of(Trainer& trainer) { return trainer.model.default_saver().value(); }

Tensor value_of(Trainer& trainer, const std::string& tensor) { return trainer.session->run(Fetch(tensor)); }

// Contract SAVER-6.
TEST(SavingTest, RestoringInitializesWhatIsSaved) {
  const TempFolder folder;
  for (const char* name : {"counter", "counter_ref", "partitioned", "dataset", "queue", "softmax"}) {
    const std::string path = fixture(std::string(name) + ".meta");
    const std::string prefix = folder / name;
    Model model = open(path);
    const SaverDef saver = model.default_saver().value();
    const Pieces pieces(model);
    const std::unique_ptr<Session> first = model.create_session({});
    initialize(*first, pieces);
    first->save_variables(saver, prefix);
    const std::unique_ptr<Session> second = model.create_session({});
    second->restore_variables(saver, prefix);
    EXPECT_EQ(not_ready(*second, pieces.ready_for_local_init), std::vector<std::string>()) << name;
    EXPECT_EQ(second->read_step(), 0) << name;
  }
}

// report CU-01
TEST(SavingTest, TrainingGoesOnWhereItWasSaved) {
  const TempFolder folder;
  Trainer trainer(fixture("partitioned.meta"));
  trainer.train(5);
  trainer.session->save_variables(saver_of(trainer), folder / "at-5");
  trainer.train_and_fetch(5, "loss:0");
  Trainer other(fixture("partitioned.meta"));
  other.session->restore_variables(saver_of(other), folder / "at-5");
  EXPECT_EQ(other.train_and_fetch(5, "loss:0"), (std::vector<Step>{6, 7, 8, 9, 10}));
  EXPECT_EQ(other.losses, trainer.losses);
}

TEST(SavingTest, PythonsCheckpointIsRestored) {
  Trainer trainer(fixture("counter.meta"));
  trainer.session->restore_variables(saver_of(trainer), fixture("checkpoints/counter/model.ckpt-6"));
  EXPECT_EQ(trainer.session->read_step(), 6);
  EXPECT_EQ(value_of(trainer, "w/Read/ReadVariableOp:0").view().scalar<float>(), 6.0F);
}

// Contract SAVER-2.
// report CU-01
TEST(SavingTest, SaverIsMadeWhereTheGraphHasNone) {
  const TempFolder folder;
  Model model = open(fixture("no_collections.meta"), {.train_op = "train"});
  const SaverDef saver = model.default_saver().value();
  EXPECT_EQ(saver.restore_op_name, "save/restore_all");
  EXPECT_EQ(model.default_saver()->restore_op_name, saver.restore_op_name);
  const Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  initialize(*session, pieces);
  session->save_variables(saver, folder / "made");
  const BundleReader bundle = BundleReader::open(folder / "made");
  EXPECT_NE(bundle.find("global_step"), nullptr);
  EXPECT_NE(bundle.find("w"), nullptr);
  session->restore_variables(saver, folder / "made");
}

// Contract SAVER-21.
TEST(SavingTest, CheckpointOfAnotherGraphChangesNothing) {
  Trainer trainer(fixture("counter.meta"));
  trainer.train(2);
  const std::string other = fixture("checkpoints/other_graph/model.ckpt-12");
  EXPECT_EQ(message_of([&] { trainer.session->restore_variables(saver_of(trainer), other); }),
            "the checkpoint '" + other +
                "' is of another graph: it lacks 1 of the graph's variables (global_step), and it has other "
                "types or "
                "shapes for 1 of the graph's variables (w: float32 [2,3] instead of float32 []); use a "
                "checkpoint of "
                "this graph");
  EXPECT_EQ(trainer.session->read_step(), 2);
}

// Contract SAVER-17.
TEST(SavingTest, ACheckpointOfObjectsIsRestoredByNames) {
  for (const char* name : {"counter", "counter_ref"}) {
    Trainer trainer(fixture(std::string(name) + ".meta"));
    trainer.session->restore_variables(saver_of(trainer), fixture("checkpoints/objects/model.ckpt-8"));
    EXPECT_EQ(trainer.session->read_step(), 8) << name;
    EXPECT_EQ(trainer.train_and_fetch(2, "loss:0"), (std::vector<Step>{9, 10}));
    EXPECT_THAT(trainer.losses, ElementsAre(92, 91));
  }
}

TEST(SavingTest, AWarmStartTakesACheckpointOfObjectsToo) {
  Trainer trainer(fixture("no_global_step.meta"), {.count_steps = true});
  EXPECT_THAT(
      trainer.session->restore_available(saver_of(trainer), fixture("checkpoints/objects/model.ckpt-8")),
      ElementsAre());
  trainer.train_and_fetch(1, "loss:0");
  EXPECT_THAT(trainer.losses, ElementsAre(92));
}

// report CK-23
TEST(SavingTest, MissingVariablesAreNamed) {
  const TempFolder folder;
  Trainer small(fixture("no_global_step.meta"), {.count_steps = true});
  small.session->save_variables(saver_of(small), folder / "small");
  Trainer trainer(fixture("counter.meta"));
  EXPECT_EQ(message_of([&] { trainer.session->restore_variables(saver_of(trainer), folder / "small"); }),
            "the checkpoint '" + (folder / "small") +
                "' is of another graph: it lacks 1 of the graph's variables (global_step); use a checkpoint "
                "of this "
                "graph");
}

TEST(SavingTest, WarmStartTakesWhatIsThere) {
  const TempFolder folder;
  for (const char* name : {"counter", "counter_ref"}) {
    Trainer small(fixture("no_global_step.meta"), {.count_steps = true});
    small.train(4);
    small.session->save_variables(saver_of(small), folder / "small");
    Trainer trainer(fixture(std::string(name) + ".meta"));
    EXPECT_THAT(trainer.session->restore_available(saver_of(trainer), folder / "small"),
                ElementsAre("global_step"));
    EXPECT_EQ(trainer.train_and_fetch(1, "loss:0"), std::vector<Step>{1});
    EXPECT_THAT(trainer.losses, ElementsAre(96));
  }
}

TEST(SavingTest, WarmStartTakesPartsOfAVariable) {
  const TempFolder folder;
  Trainer trainer(fixture("partitioned.meta"));
  trainer.train(3);
  trainer.session->save_variables(saver_of(trainer), folder / "parts");
  Trainer other(fixture("partitioned.meta"));
  EXPECT_EQ(other.session->restore_available(saver_of(other), folder / "parts"), std::vector<std::string>());
  EXPECT_EQ(other.session->read_step(), 3);
}

TEST(SavingTest, WarmStartRefusesOtherShapes) {
  Trainer trainer(fixture("counter.meta"));
  EXPECT_THROW(
      trainer.session->restore_available(saver_of(trainer), fixture("checkpoints/other_graph/model.ckpt-12")),
      Error);
}

TEST(SavingTest, FolderThatIsNotThereIsAnError) {
  const TempFolder folder;
  Trainer trainer(fixture("counter.meta"));
  EXPECT_THROW(trainer.session->save_variables(saver_of(trainer), folder / "no/such/folder/model"), Error);
  EXPECT_EQ(trainer.train(1), std::vector<Step>{1});
}

TEST(SavingTest, ASaverMayHaveNamesOfItsOwn) {
  const TempFolder folder;
  Model model = open(fixture("partitioned.meta"));
  const std::vector<VariableInfo> variables = model.variables();
  const auto part = std::find_if(variables.begin(), variables.end(),
                                 [](const VariableInfo& info) { return !info.slice.empty(); });
  ASSERT_NE(part, variables.end());
  const std::string whole = part->checkpoint_key;
  const std::string step = model.global_step_name();
  const SaverDef saver = model.add_saver({{"p/whole", whole}, {"p/step", step}});
  const Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  initialize(*session, pieces);
  session->save_variables(saver, folder / "m");
  const BundleReader bundle = BundleReader::open(folder / "m");
  EXPECT_NE(bundle.find("p/whole"), nullptr);
  EXPECT_NE(bundle.find("p/step"), nullptr);
  EXPECT_EQ(bundle.find(whole), nullptr);
  session->restore_variables(saver, folder / "m");
}

TEST(SavingTest, ASaverNeedsVariablesOfTheGraphEachOnce) {
  Model model = open(fixture("counter.meta"));
  EXPECT_THROW(static_cast<void>(model.add_saver({{"a", "nothing of this name"}})), Error);
  EXPECT_THROW(static_cast<void>(model.add_saver({{"a", "w"}, {"b", "w"}})), Error);
  model.finalize();
  EXPECT_THROW(static_cast<void>(model.add_saver({{"a", "w"}})), Misuse);
}

TEST(SavingTest, ASaverMayBeBuiltWhenTheSessionIsThere) {
  const TempFolder folder;
  Trainer trainer(fixture("no_collections.meta"), {.train_op = "train"});
  const std::size_t before = trainer.model.operations().size();
  Saver saver(trainer.model, {.defer_build = true});
  EXPECT_EQ(trainer.model.operations().size(), before);
  EXPECT_THROW(static_cast<void>(saver.save(*trainer.session, folder / "m", 1)), Misuse);
  saver.build();
  trainer.train(2);
  const std::string prefix = saver.save(*trainer.session, folder / "m", 2);
  trainer.train(1);
  saver.restore(*trainer.session, prefix);
  EXPECT_EQ(trainer.session->read_step(), 2);
}

TEST(SavingTest, AnEmptySaverWritesTheGraphOnly) {
  const TempFolder folder;
  Trainer trainer(fixture("counter.meta"));
  Saver saver(trainer.model, {.var_list = std::map<std::string, std::string>(), .allow_empty = true});
  EXPECT_EQ(saver.save(*trainer.session, folder / "m", 1), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "m-1.meta"));
  EXPECT_FALSE(std::filesystem::exists(folder / "m-1.index"));
  saver.restore(*trainer.session, folder / "m-1");
}

// A resource variable would take over the stored shape.
TEST(SavingTest, ASaverThatReshapesKeepsTheShapesOfTheGraph) {
  const TempFolder folder;
  Trainer trainer(fixture("counter.meta"));
  const std::vector<float> w = {7};
  const std::vector<std::int64_t> step = {4};
  const std::vector<std::int64_t> one = {1};
  BundleWriter writer(folder / "m");
  writer.add("w", TensorView(DType::kFloat, one, w.data()));
  writer.add("global_step", TensorView(DType::kInt64, one, step.data()));
  writer.finish();
  Saver strict(trainer.model, {});
  EXPECT_THROW(strict.restore(*trainer.session, folder / "m"), Error);
  Saver saver(trainer.model, {.reshape = true});
  saver.restore(*trainer.session, folder / "m");
  EXPECT_EQ(trainer.session->read_step(), 4);
  const Tensor restored = value_of(trainer, "w/Read/ReadVariableOp:0");
  EXPECT_EQ(restored.view().scalar<float>(), 7.0F);
  EXPECT_TRUE(restored.view().shape().empty());
}

}  // namespace
}  // namespace fermata::tensorflow
