#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fermata/error.h"
#include "fermata/native.h"
#include "fermata/saver.h"
#include "fermata/scaffold.h"
#include "fermata/session_creator.h"

namespace fermata {
namespace {

class ChiefSessionCreatorTest : public testing::Test {
 protected:
  ChiefSessionCreatorTest() {
    graph_.variable("w", native::view(w_));
    std::filesystem::remove_all(dir_);
  }
  ~ChiefSessionCreatorTest() override { std::filesystem::remove_all(dir_); }

  static CreatedSession create(ChiefSessionCreator& creator) { return creator.create_session({}); }

  // Saves w = `value` as the checkpoint of `step`.
  void save(float value, Step step) {
    ChiefSessionCreator creator(graph_);
    const CreatedSession created = create(creator);
    w_ = value;
    graph_.set_global_step(step);
    creator.scaffold()->saver()->recover_last_checkpoints(saved_);
    saved_.push_back(creator.scaffold()->saver()->save(*created.session, dir_ + "/model.ckpt", step));
    graph_.unfinalize();
  }

  float w_ = 3;
  native::Graph graph_;
  std::string dir_ = testing::TempDir() + "chief_session_creator_test";
  std::vector<std::string> saved_;
};

TEST_F(ChiefSessionCreatorTest, WithoutACheckpointItInitialises) {
  w_ = 99;
  ChiefSessionCreator creator(graph_, {.checkpoint_dir = dir_});
  const CreatedSession created = create(creator);
  EXPECT_EQ(created.session->run("w:0").view().scalar<float>(), 3.0F);
  EXPECT_EQ(created.restored_from, "");
}

TEST_F(ChiefSessionCreatorTest, RestoresTheNewestCheckpoint) {
  save(5, 10);
  save(6, 20);
  w_ = 0;
  ChiefSessionCreator creator(graph_, {.checkpoint_dir = dir_});
  const CreatedSession created = create(creator);
  EXPECT_EQ(w_, 6.0F);
  EXPECT_EQ(created.session->read_step(), 20);
  EXPECT_EQ(created.restored_from, dir_ + "/model.ckpt-20");
  EXPECT_EQ(creator.scaffold()->saver()->last_checkpoints(), saved_);
}

// report CK-09
TEST_F(ChiefSessionCreatorTest, ADamagedNewestCheckpointIsNamedAndPassedOver) {
  save(5, 10);
  save(6, 20);
  std::filesystem::resize_file(dir_ + "/model.ckpt-20.data-00000-of-00001", 1);
  ChiefSessionCreator creator(graph_, {.checkpoint_dir = dir_});
  const CreatedSession created = create(creator);
  EXPECT_EQ(created.restored_from, dir_ + "/model.ckpt-10");
  ASSERT_EQ(created.notes.size(), 1U);
  EXPECT_NE(created.notes.front().find("model.ckpt-20"), std::string::npos) << created.notes.front();
}

TEST_F(ChiefSessionCreatorTest, WithoutChecksumsDamagedValuesAreSeenWhenTheyAreRead) {
  save(5, 10);
  save(6, 20);
  std::ofstream(dir_ + "/model.ckpt-20.data-00000-of-00001", std::ios::in | std::ios::out) << "?";
  ChiefSessionCreator checking(graph_, {.checkpoint_dir = dir_});
  EXPECT_EQ(create(checking).restored_from, dir_ + "/model.ckpt-10");
  graph_.unfinalize();
  // Scaffolds of one graph share its saver, unless they are given one.
  Scaffold::Options options;
  options.saver =
      std::make_shared<Saver>(graph_.default_saver().value(), Saver::Options{.verify_checksums = false});
  const auto scaffold = std::make_shared<Scaffold>(options);
  ChiefSessionCreator trusting(graph_, {.scaffold = scaffold, .checkpoint_dir = dir_});
  EXPECT_THROW(create(trusting), Error);
}

TEST_F(ChiefSessionCreatorTest, IfNoneIsWholeItIsAnError) {
  save(5, 10);
  std::filesystem::resize_file(dir_ + "/model.ckpt-10.data-00000-of-00001", 1);
  ChiefSessionCreator creator(graph_, {.checkpoint_dir = dir_});
  try {
    create(creator);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDataLoss);
  }
}

TEST_F(ChiefSessionCreatorTest, AnExplicitCheckpointIsRestored) {
  save(5, 10);
  save(6, 20);
  ChiefSessionCreator creator(graph_, {.checkpoint_filename_with_path = dir_ + "/model.ckpt-10"});
  create(creator);
  EXPECT_EQ(w_, 5.0F);
}

TEST_F(ChiefSessionCreatorTest, DirectoryAndFileTogetherAreRefused) {
  ChiefSessionCreator creator(graph_, {.checkpoint_dir = "a", .checkpoint_filename_with_path = "b"});
  try {
    create(creator);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

// report CK-13
TEST_F(ChiefSessionCreatorTest, AWarmStartNamesWhatItLacks) {
  save(5, 10);
  native::Graph larger;
  float w = 1;
  float extra = 2;
  larger.variable("w", native::view(w));
  larger.variable("extra", native::view(extra));
  ChiefSessionCreator creator(larger, {.warm_start_from = dir_ + "/model.ckpt-10"});
  const CreatedSession created = create(creator);
  EXPECT_EQ(w, 5.0F);
  EXPECT_EQ(extra, 2.0F);
  ASSERT_EQ(created.notes.size(), 1U);
  EXPECT_NE(created.notes.front().find("extra"), std::string::npos);
}

TEST_F(ChiefSessionCreatorTest, WhatIsNotInitialisedIsNamed) {
  const Operation nothing = graph_.operation("nothing", {}, [](native::StepOutputs&) {});
  const auto scaffold =
      std::make_shared<Scaffold>(Scaffold::Options{.init_op = nothing, .ready_for_local_init_op = nothing});
  ChiefSessionCreator creator(graph_, {.scaffold = scaffold});
  try {
    create(creator);
    FAIL();
  } catch (const Misuse& error) {
    EXPECT_STREQ(error.what(), "Init operations did not make model ready: not initialized: global_step, w");
  }
}

TEST_F(ChiefSessionCreatorTest, InitFnComesAfterTheInitOp) {
  const auto scaffold =
      std::make_shared<Scaffold>(Scaffold::Options{.init_fn = [this](Scaffold&, Session&) { w_ = w_ * 10; }});
  ChiefSessionCreator creator(graph_, {.scaffold = scaffold});
  w_ = 99;
  create(creator);
  EXPECT_EQ(w_, 30.0F);
}

}  // namespace
}  // namespace fermata
