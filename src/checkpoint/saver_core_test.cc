#include "checkpoint/saver_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "checkpoint/bundle_writer.h"
#include "checkpoint/damage.h"
#include "checkpoint/manifest.h"
#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "tests/support/fake_session.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

class SaverCoreTest : public testing::Test {
 protected:
  SaverCoreTest() { session_.variables["w"] = Tensor::scalar(1.5F); }

  SaverCore saver(Saver::Options options = {}, SaverDef def = {}) {
    options.clock = clock_;
    return SaverCore(std::move(def), std::move(options), files_);
  }
  std::string save(SaverCore& saver, Step step, const std::string& prefix = "/d/m") {
    session_.variables["step"] = Tensor::scalar(step);
    return saver.save(session_, prefix, step, true);
  }
  float restored_w(const std::string& prefix, FileSystem& files) {
    FakeSession session(files);
    session.variables["w"] = Tensor::scalar(0.0F);
    SaverCore({}, {}, files).restore(session, prefix);
    return session.variables["w"].view().scalar<float>();
  }
  static std::string outcome(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return code_name(error.code()) + " " + error.what();
    }
    return "done";
  }
  std::string state_text(const std::string& path = "/d/checkpoint") { return read_whole_file(files_, path); }

  MemoryFileSystem files_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  FakeSession session_{files_};
  testkit::LogCapture log_;
};

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
  core.save(session_, "/d/m", 7, false);
  EXPECT_FALSE(files_.info("/d/m-7.meta"));
  session_.meta_graph.clear();
  core.save(session_, "/d/m", 8, true);
  EXPECT_FALSE(files_.info("/d/m-8.meta"));
}

TEST_F(SaverCoreTest, Names) {
  SaverCore padded = saver({.pad_step_number = true});
  EXPECT_EQ(save(padded, 7), "/d/m-00000007");
  EXPECT_EQ(save(padded, 123456789), "/d/m-123456789");
  EXPECT_EQ(saver().save(session_, "/d/m", std::nullopt, true), "/d/m");
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

TEST_F(SaverCoreTest, AFailureToRemoveIsAWarning) {
  SaverCore core = saver({.max_to_keep = 1});
  save(core, 1);
  std::size_t calls = 0;
  {
    MemoryFileSystem other;
    FakeSession session(other);
    session.variables = session_.variables;
    SaverCore rehearsal({}, {.max_to_keep = 1}, other);
    rehearsal.save(session, "/d/m", 1, true);
    const std::size_t before = other.calls().size();
    rehearsal.save(session, "/d/m", 2, true);
    while (other.calls()[before + calls] != "remove /d/m-1.index") {
      ++calls;
    }
  }
  files_.fail_once(files_.calls().size() + calls + 1, EACCES);
  EXPECT_EQ(save(core, 2), "/d/m-2");
  EXPECT_EQ(log_.lines(),
            Names{"WARNING /d/m-1.index: cannot remove: permission is denied; give this user access or "
                  "choose another folder"});
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

TEST_F(SaverCoreTest, SavingUnderTheSameNameReplacesIt) {
  SaverCore core = saver();
  core.save(session_, "/d/m", std::nullopt, true);
  write_synced_file(files_, "/d/m.data-00000-of-00002", "left from two shards");
  session_.variables["w"] = Tensor::scalar(2.5F);
  core.save(session_, "/d/m", std::nullopt, true);
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
  EXPECT_EQ(outcome([&] { core.save(session_, "/d/", std::nullopt, true); }),
            "INVALID_ARGUMENT Saver: a name for the checkpoint was expected behind the folder in '/d/'");
  EXPECT_EQ(outcome([&] { core.save(session_, "/d/checkpoint", std::nullopt, true); }),
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
TEST_F(SaverCoreTest, AShardedSaverMayUseTheNameOfTheStateFile) {
  SaverCore core = saver({}, {.sharded = true});
  EXPECT_EQ(core.save(session_, "/d/checkpoint", std::nullopt, true), "/d/checkpoint");
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

TEST_F(SaverCoreTest, DamageIsFoundBeforeTheFirstVariableChanges) {
  SaverCore core = saver();
  save(core, 1);
  session_.variables["w"] = Tensor::scalar(9.0F);
  // "step" lies before "w": reading one by one would take it first.
  std::string data = read_whole_file(files_, "/d/m-1.data-00000-of-00001");
  data.back() = static_cast<char>(data.back() ^ 1);
  write_synced_file(files_, "/d/m-1.data-00000-of-00001", data);
  session_.variables["step"] = Tensor::scalar(Step{99});
  EXPECT_TRUE(
      outcome([&] { core.restore(session_, "/d/m-1"); }).starts_with("DATA_LOSS /d/m-1.data-00000-of-00001"));
  EXPECT_EQ(session_.variables["step"].view().scalar<Step>(), 99);
  files_.remove("/d/m-1.data-00000-of-00001");
  EXPECT_TRUE(
      outcome([&] { core.restore(session_, "/d/m-1"); }).starts_with("NOT_FOUND /d/m-1.data-00000-of-00001"));
}

TEST_F(SaverCoreTest, ADataFileOfAnotherSizeThanTheManifestSaysIsDamage) {
  SaverCore core = saver();
  save(core, 1);
  files_.append("/d/m-1.data-00000-of-00001")->write("more");
  EXPECT_EQ(find_damage(files_, "/d/m-1"),
            "/d/m-1.data-00000-of-00001: 16 bytes, the manifest says 12; use another checkpoint");
}

// As Python does: it knows no manifests.
TEST_F(SaverCoreTest, AManifestBesideARewrittenCheckpointIsVoid) {
  session_.engine_state.set("step", std::int64_t{41});
  SaverCore core = saver();
  save(core, 1);
  BundleWriter writer("/d/m-1", files_);
  writer.add("w", Tensor::scalar(7.0F).view());
  writer.add("other", Tensor::scalar(7.0F).view());
  writer.finish();
  EXPECT_FALSE(find_damage(files_, "/d/m-1"));
  FakeSession session(files_);
  session.variables["w"] = Tensor::scalar(0.0F);
  session.engine_state.set("step", std::int64_t{5});
  core.restore(session, "/d/m-1");
  EXPECT_EQ(session.variables["w"].view().scalar<float>(), 7.0F);
  EXPECT_EQ(session.engine_state.integer("step"), 5) << "belongs to the variables that are gone";
  EXPECT_EQ(log_.lines().back(),
            "WARNING /d/m-1.manifest.json: the index beside it is another one than it speaks of; the state "
            "of the run "
            "in it is not used");
}

// One call fails, each in turn, until a save passes untouched.
TEST_F(SaverCoreTest, AFailedSaveLeavesEverythingAsItWas) {
  bool untouched = false;
  for (std::size_t number = 1; !untouched; ++number) {
    SCOPED_TRACE(number);
    MemoryFileSystem files;
    FakeSession session(files);
    session.variables["w"] = Tensor::scalar(1.5F);
    session.meta_graph = "meta";
    SaverCore core({}, {.max_to_keep = 2}, files);
    core.save(session, "/d/m", 1, true);
    const Names before = files.list("/d");
    const std::string state = read_whole_file(files, "/d/checkpoint");
    const std::size_t calls_before = files.calls().size();
    files.fail_once(calls_before + number, ENOSPC);
    bool failed = false;
    try {
      core.save(session, "/d/m", 2, true);
    } catch (const Error&) {
      failed = true;
    }
    untouched = files.calls().size() < calls_before + number;
    files.fail_once(0, 0);
    EXPECT_FALSE(untouched && failed);
    if (failed && read_whole_file(files, "/d/checkpoint") == state) {
      EXPECT_EQ(files.list("/d"), before);
      EXPECT_EQ(core.last_checkpoints(), Names{"/d/m-1"});
    } else {
      EXPECT_EQ(core.last_checkpoints(), (Names{"/d/m-1", "/d/m-2"}));
      EXPECT_FALSE(find_damage(files, "/d/m-2"));
    }
    EXPECT_FALSE(find_damage(files, "/d/m-1"));
    core.save(session, "/d/m", 3, true);
    EXPECT_FALSE(find_damage(files, "/d/m-3")) << "the next save works";
  }
}

// Cut at each call in turn; then the machine finds only what was synced, or all that was written.
TEST_F(SaverCoreTest, ACrashAnywhereLeavesTheNewestOrTheOneBefore) {
  bool untouched = false;
  for (std::size_t number = 1; !untouched; ++number) {
    SCOPED_TRACE(number);
    MemoryFileSystem files;
    FakeSession session(files);
    SaverCore core({}, {.max_to_keep = 2}, files);
    const auto save_step = [&](Step step) {
      session.variables["w"] = Tensor::scalar(static_cast<float>(step));
      core.save(session, "/d/m", step, true);
    };
    for (Step step = 1; step <= 3; ++step) {
      save_step(step);
    }
    const std::size_t calls_before = files.calls().size();
    files.fail_from(calls_before + number, EIO);
    bool finished = true;
    try {
      save_step(4);
    } catch (const Error&) {
      finished = false;
    }
    untouched = files.calls().size() < calls_before + number;
    for (const auto& left : {files.after_power_loss(), files.after_kill()}) {
      Names damaged;
      const std::optional<std::string> newest = newest_whole_checkpoint(*left, "/d", "checkpoint", &damaged);
      ASSERT_TRUE(newest);
      EXPECT_TRUE(*newest == "/d/m-4" || (!finished && *newest == "/d/m-3")) << *newest;
      EXPECT_EQ(damaged, Names());
      EXPECT_EQ(restored_w(*newest, *left), *newest == "/d/m-3" ? 3 : 4);
    }
  }
}

TEST_F(SaverCoreTest, NewestWholePassesOverDamagedOnes) {
  SaverCore core = saver();
  save(core, 1);
  save(core, 2);
  save(core, 3);
  files_.remove("/d/m-3.index");
  write_synced_file(files_, "/d/m-2.data-00000-of-00001", "");
  Names damaged;
  EXPECT_EQ(newest_whole_checkpoint(files_, "/d", "checkpoint", &damaged), "/d/m-1");
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_TRUE(damaged[0].starts_with("/d/m-3.index: ")) << damaged[0];
  EXPECT_TRUE(damaged[1].starts_with("/d/m-2.data-00000-of-00001: ")) << damaged[1];
  EXPECT_EQ(newest_whole_checkpoint(files_, "/d", "checkpoint", nullptr), "/d/m-1");
  EXPECT_EQ(log_.lines().size(), 2U);
}

TEST_F(SaverCoreTest, NoneWholeIsAnErrorAndNoneListedIsNot) {
  EXPECT_FALSE(newest_whole_checkpoint(files_, "/d", "checkpoint", nullptr));
  SaverCore core = saver();
  save(core, 1);
  files_.remove("/d/m-1.index");
  EXPECT_EQ(outcome([&] { (void)newest_whole_checkpoint(files_, "/d", "checkpoint", nullptr); }),
            "DATA_LOSS /d/checkpoint: none of the listed checkpoints is whole (the newest: /d/m-1.index: "
            "cannot open "
            "the file: there is no such file or folder; check the path); restore one from a copy, or remove "
            "the state "
            "file to start anew");
}

}  // namespace
}  // namespace fermata
