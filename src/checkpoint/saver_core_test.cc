#include "checkpoint/saver_core.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checkpoint/manifest.h"
#include "checkpoint/saver_core_fixture.h"
#include "platform/paths.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

class SaverCoreTest : public SaverCoreFixture {};

TEST_F(SaverCoreTest, WritesAllFilesOfACheckpoint) {
  session_.meta_graph = "meta";
  SaverCore core = saver();
  EXPECT_EQ(save(core, 7), "/d/m-7");
  EXPECT_EQ(files_.list("/d"),
            (Names{"checkpoint", "m-7.data-00000-of-00001", "m-7.index", "m-7.manifest.json", "m-7.meta"}));
  EXPECT_EQ(read_whole_file(files_, "/d/m-7.meta"), "meta");
  EXPECT_EQ(state_text(), "model_checkpoint_path: \"/d/m-7\"\nall_model_checkpoint_paths: \"/d/m-7\"\n");
  EXPECT_EQ(core.last_checkpoints(), Names{"/d/m-7"});
}

TEST_F(SaverCoreTest, NoMetaWhereNoneIsWantedOrThereIsNone) {
  session_.meta_graph = "meta";
  SaverCore core = saver();
  core.save(session_, "/d/m", 7, {.write_meta_graph = false});
  EXPECT_FALSE(files_.info("/d/m-7.meta"));
  session_.meta_graph.clear();
  core.save(session_, "/d/m", 8);
  EXPECT_FALSE(files_.info("/d/m-8.meta"));
}

TEST_F(SaverCoreTest, Names) {
  SaverCore padded = saver({.pad_step_number = true});
  EXPECT_EQ(save(padded, 7), "/d/m-00000007");
  EXPECT_EQ(save(padded, 123456789), "/d/m-123456789");
  EXPECT_EQ(saver().save(session_, "/d/m", std::nullopt), "/d/m");
}

TEST_F(SaverCoreTest, TheEngineWritesUnderTheSameNameInAFolderOfItsOwn) {
  SaverCore core = saver();
  save(core, 7);
  ASSERT_EQ(session_.saved_to.size(), 1U);
  EXPECT_EQ(name_of(session_.saved_to[0]), "m-7");
  EXPECT_TRUE(folder_of(session_.saved_to[0]).starts_with("/d/.m-7.tempstate"));
  EXPECT_FALSE(files_.info(folder_of(session_.saved_to[0])));
}

TEST_F(SaverCoreTest, RestoresVariablesAndTheEnginesState) {
  session_.engine_state.set("step", std::int64_t{41});
  SaverCore core = saver();
  save(core, 7);
  session_.variables["w"] = Tensor::scalar(0.0F);
  session_.engine_state = {};
  core.restore(session_, "/d/m-7");
  EXPECT_EQ(session_.variables["w"].view().scalar<float>(), 1.5F);
  EXPECT_EQ(session_.engine_state.integer("step"), 41);
  EXPECT_EQ(session_.restored_from(), "/d/m-7");
  EXPECT_EQ(log_.lines(), Names{"INFO Restoring parameters from /d/m-7"});
}

TEST_F(SaverCoreTest, TheManifestHoldsStepTimeFilesAndTheStateOfHooks) {
  session_.set_run_state_source([] {
    HookState state;
    state.set("last", std::int64_t{3});
    return std::map<std::string, HookState, std::less<>>{{"StepCounterHook", state}};
  });
  SaverCore core = saver();
  save(core, 7);
  const FoundManifest found = find_manifest(files_, "/d/m-7");
  ASSERT_TRUE(found.manifest);
  EXPECT_EQ(found.manifest->step, 7);
  EXPECT_EQ(found.manifest->unix_seconds, 1577836800.0);
  EXPECT_NE(found.manifest->fermata_version, "");
  EXPECT_EQ(found.manifest->state.hooks.at("StepCounterHook").integer("last"), 3);
  ASSERT_EQ(found.manifest->files.size(), 2U);
  EXPECT_EQ(found.manifest->files[0], (ManifestFile{"m-7.data-00000-of-00001", 12, std::nullopt}));
  EXPECT_EQ(found.manifest->files[1], describe_file(files_, "/d/m-7.index"));
}

TEST_F(SaverCoreTest, KeepsTheNewestAndRemovesAllFilesOfTheOthers) {
  session_.meta_graph = "meta";
  SaverCore core = saver({.max_to_keep = 2});
  for (Step step = 1; step <= 3; ++step) {
    save(core, step);
  }
  EXPECT_EQ(core.last_checkpoints(), (Names{"/d/m-2", "/d/m-3"}));
  EXPECT_EQ(files_.list("/d").size(), 1U + 2U * 4U);
  EXPECT_FALSE(files_.info("/d/m-1.index"));
  EXPECT_EQ(state_text(),
            "model_checkpoint_path: \"/d/m-3\"\nall_model_checkpoint_paths: \"/d/m-2\"\n"
            "all_model_checkpoint_paths: \"/d/m-3\"\n");
}

TEST_F(SaverCoreTest, RemovesACheckpointWithADamagedIndexToo) {
  SaverCore core = saver({.max_to_keep = 1});
  save(core, 1);
  write_synced_file(files_, "/d/m-1.index", "torn");
  save(core, 2);
  EXPECT_EQ(files_.list("/d"),
            (Names{"checkpoint", "m-2.data-00000-of-00001", "m-2.index", "m-2.manifest.json"}));
}

TEST_F(SaverCoreTest, RecoveredCheckpointsAreKeptAndRemovedWithItsOwn) {
  SaverCore first = saver();
  save(first, 1);
  save(first, 2);
  SaverCore second = saver({.max_to_keep = 2});
  second.recover_last_checkpoints({"/d/m-0", "/d/m-1", "/d/m-2"});
  EXPECT_EQ(second.last_checkpoints(), (Names{"/d/m-1", "/d/m-2"}));
  save(second, 3);
  EXPECT_EQ(second.last_checkpoints(), (Names{"/d/m-2", "/d/m-3"}));
  EXPECT_FALSE(files_.info("/d/m-1.index"));
}

TEST_F(SaverCoreTest, AnotherSaverDoesNotKnowTheFirstOnesFiles) {
  SaverCore first = saver({.max_to_keep = 1});
  save(first, 1);
  SaverCore second = saver({.max_to_keep = 1});
  save(second, 2);
  EXPECT_TRUE(files_.info("/d/m-1.index"));
  EXPECT_EQ(state_text(), "model_checkpoint_path: \"/d/m-2\"\nall_model_checkpoint_paths: \"/d/m-2\"\n");
}

// report CK-20
TEST_F(SaverCoreTest, ZeroKeepsAllAndNamesTheLatest) {
  SaverCore core = saver({.max_to_keep = 0});
  save(core, 1);
  save(core, 2);
  EXPECT_TRUE(core.last_checkpoints().empty());
  EXPECT_TRUE(files_.info("/d/m-1.index"));
  EXPECT_EQ(state_text(), "model_checkpoint_path: \"/d/m-2\"\nall_model_checkpoint_paths: \"/d/m-2\"\n");
}

TEST_F(SaverCoreTest, SaveRelativePaths) {
  SaverCore core = saver({.save_relative_paths = true});
  save(core, 1);
  EXPECT_EQ(state_text(), "model_checkpoint_path: \"m-1\"\nall_model_checkpoint_paths: \"m-1\"\n");
}

TEST_F(SaverCoreTest, ARelativePrefixIsStoredRelativeToItsFolder) {
  SaverCore core = saver();
  EXPECT_EQ(save(core, 1, "d/m"), "d/m-1");
  EXPECT_EQ(state_text("d/checkpoint"),
            "model_checkpoint_path: \"m-1\"\nall_model_checkpoint_paths: \"m-1\"\n");
  EXPECT_EQ(save(core, 2, "m"), "m-2");
  EXPECT_TRUE(files_.info("m-2.index"));
}

TEST_F(SaverCoreTest, AnotherStateFile) {
  SaverCore core = saver({.latest_filename = "other"});
  save(core, 1);
  EXPECT_TRUE(files_.info("/d/other"));
  EXPECT_FALSE(files_.info("/d/checkpoint"));
}

// Contract SAVER-28.
TEST_F(SaverCoreTest, SavingUnderTheSameNameReplacesIt) {
  SaverCore core = saver();
  core.save(session_, "/d/m", std::nullopt);
  write_synced_file(files_, "/d/m.data-00000-of-00002", "left from two shards");
  session_.variables["w"] = Tensor::scalar(2.5F);
  core.save(session_, "/d/m", std::nullopt);
  EXPECT_EQ(core.last_checkpoints(), Names{"/d/m"});
  EXPECT_EQ(restored_w("/d/m", files_), 2.5F);
  EXPECT_EQ(files_.list("/d"), (Names{"checkpoint", "m.data-00000-of-00001", "m.index", "m.manifest.json"}));
}

// There may be thousands of checkpoints.
TEST_F(SaverCoreTest, OnlyTheFirstSaveLooksThroughTheFolder) {
  SaverCore core = saver({.max_to_keep = 2});
  for (Step step = 1; step <= 4; ++step) {
    save(core, step);
  }
  EXPECT_EQ(std::count(files_.listed().begin(), files_.listed().end(), "/d"), 1);
}

// Contract SAVER-6.
TEST_F(SaverCoreTest, WhatAnInterruptedSaveLeftIsRemovedAtTheNextStart) {
  files_.create_directories("/d/.m-1.tempstate0123456789abcdef");
  files_.create_directories("/d/.m-2.tempstate0123456789abcdef");
  files_.create_directories("/d/.other");
  write_synced_file(files_, "/d/.m-1.tempstate0123456789abcdef/m-1.index", "half");
  const auto still_at_work = files_.try_lock("/d/.m-2.tempstate0123456789abcdef");
  SaverCore core = saver();
  save(core, 3);
  EXPECT_FALSE(files_.info("/d/.m-1.tempstate0123456789abcdef"));
  EXPECT_TRUE(files_.info("/d/.m-2.tempstate0123456789abcdef"));
  EXPECT_TRUE(files_.info("/d/.other"));
  EXPECT_EQ(log_.lines(),
            Names{"INFO /d/.m-1.tempstate0123456789abcdef: removed; an interrupted save had left it"});
}

TEST_F(SaverCoreTest, RefusesWrongOptions) {
  EXPECT_EQ(outcome([&] { saver({.max_to_keep = -1}); }),
            "INVALID_ARGUMENT Saver: max_to_keep must be 0 or more, found -1");
  EXPECT_EQ(outcome([&] { saver({.keep_checkpoint_every_n_hours = -1}); }),
            "INVALID_ARGUMENT Saver: keep_checkpoint_every_n_hours must be 0 or more, found -1");
  for (const char* name : {"", ".", "..", "a/b"}) {
    EXPECT_EQ(
        outcome([&] { saver({.latest_filename = name}); }),
        std::string(
            "INVALID_ARGUMENT Saver: latest_filename must be the name of a file without a folder, found "
            "'") +
            name + "'");
  }
}

TEST_F(SaverCoreTest, RefusesWrongNames) {
  SaverCore core = saver();
  EXPECT_EQ(outcome([&] { save(core, -1); }),
            "INVALID_ARGUMENT Saver: the step of /d/m must be 0 or more, found -1");
  EXPECT_EQ(outcome([&] { core.save(session_, "/d/", std::nullopt); }),
            "INVALID_ARGUMENT Saver: a name for the checkpoint was expected behind the folder in '/d/'");
  EXPECT_EQ(outcome([&] { core.save(session_, "/d/checkpoint", std::nullopt); }),
            "INVALID_ARGUMENT Saver: the checkpoint /d/checkpoint collides with the state file checkpoint "
            "beside it; "
            "choose another name");
  SaverCore odd = saver({.latest_filename = "m-1.index"});
  EXPECT_EQ(outcome([&] { save(odd, 1); }),
            "INVALID_ARGUMENT Saver: the checkpoint /d/m-1 collides with the state file m-1.index beside it; "
            "choose "
            "another name");
  EXPECT_FALSE(files_.info("/d"));
}

// No file of it would be the state file.
// Contract STATE-9.
TEST_F(SaverCoreTest, AShardedSaverMayUseTheNameOfTheStateFile) {
  SaverCore core = saver({}, {.sharded = true});
  EXPECT_EQ(core.save(session_, "/d/checkpoint", std::nullopt), "/d/checkpoint");
  EXPECT_EQ(restored_w("/d/checkpoint", files_), 1.5F);
}

TEST_F(SaverCoreTest, AFileInThePlaceOfTheFolderIsRefused) {
  write_synced_file(files_, "/d", "a file");
  SaverCore core = saver();
  EXPECT_EQ(outcome([&] { save(core, 1); }),
            "INVALID_ARGUMENT /d: cannot make the folder: a part of the path is a file, a folder was "
            "expected; choose "
            "another folder or move that file away");
}

TEST_F(SaverCoreTest, RefusesToRestoreWhatIsNoCheckpoint) {
  SaverCore core = saver();
  EXPECT_EQ(outcome([&] { core.restore(session_, "/d/m-9"); }),
            "INVALID_ARGUMENT '/d/m-9' is no checkpoint: there is no /d/m-9.index; give the path without its "
            "ending");
  EXPECT_TRUE(outcome([&] { core.restore(session_, ""); }).starts_with("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace fermata
