// What saving and restoring do when files are damaged, calls fail, or the machine stops.
#include <gtest/gtest.h>

#include <cerrno>

#include "checkpoint/bundle_writer.h"
#include "checkpoint/damage.h"
#include "checkpoint/saver_core_fixture.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

class SaverFaultsTest : public SaverCoreFixture {
 protected:
  void expect_newest_or_before(MemoryFileSystem& left, bool finished) {
    Names damaged;
    const std::optional<std::string> newest = newest_whole_checkpoint(left, "/d", "checkpoint", &damaged);
    ASSERT_TRUE(newest);
    EXPECT_TRUE(*newest == "/d/m-4" || (!finished && *newest == "/d/m-3")) << *newest;
    EXPECT_EQ(damaged, Names());
    EXPECT_EQ(restored_w(*newest, left), *newest == "/d/m-3" ? 3 : 4);
  }
};

// Three checkpoints, and a fourth of which call `number` and all behind it fail.
struct CutSave {
  CutSave(std::size_t number, Saver::Options options, const FakeSession& like) {
    FakeSession session(files);
    session.can_capture = like.can_capture;
    session.meta_graph = like.meta_graph;
    SaverCore core({}, std::move(options), files);
    const auto save_step = [&](Step step) {
      session.variables["w"] = Tensor::scalar(static_cast<float>(step));
      core.save(session, "/d/m", step);
    };
    for (Step step = 1; step <= 3; ++step) {
      save_step(step);
    }
    const std::size_t calls_before = files.calls().size();
    files.fail_from(calls_before + number, EIO);
    try {
      save_step(4);
    } catch (const Error&) {
      finished = false;
    }
    untouched = files.calls().size() < calls_before + number;
  }

  MemoryFileSystem files;
  bool finished = true;
  // There were fewer calls than that.
  bool untouched = false;
};

// By the index a checkpoint is found, also by readers that know nothing of manifests.
TEST_F(SaverFaultsTest, TheIndexIsPutInPlaceBehindEverythingElse) {
  SaverCore core = saver({});
  save(core, 1);
  std::vector<std::string> renamed;
  for (const std::string& call : files_.calls()) {
    if (call.starts_with("rename /d/m-1.")) {
      renamed.push_back(call);
    }
  }
  ASSERT_GE(renamed.size(), 3U);
  for (const std::string& call : renamed) {
    EXPECT_EQ(call.ends_with(".index"), call == renamed.back()) << call;
  }
}

TEST_F(SaverFaultsTest, AFailureToRemoveIsAWarning) {
  SaverCore core = saver({.max_to_keep = 1});
  save(core, 1);
  std::size_t calls = 0;
  {
    MemoryFileSystem other;
    FakeSession session(other);
    session.variables = session_.variables;
    SaverCore rehearsal({}, {.max_to_keep = 1}, other);
    rehearsal.save(session, "/d/m", 1);
    const std::size_t before = other.calls().size();
    rehearsal.save(session, "/d/m", 2);
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

TEST_F(SaverFaultsTest, DamageIsFoundBeforeTheFirstVariableChanges) {
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

TEST_F(SaverFaultsTest, ADataFileOfAnotherSizeThanTheManifestSaysIsDamage) {
  SaverCore core = saver();
  save(core, 1);
  files_.append("/d/m-1.data-00000-of-00001")->write("more");
  EXPECT_EQ(find_damage(files_, "/d/m-1"),
            "/d/m-1.data-00000-of-00001: 16 bytes, the manifest says 12; use another checkpoint");
}

// As Python does: it knows no manifests.
TEST_F(SaverFaultsTest, AManifestBesideARewrittenCheckpointIsVoid) {
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
TEST_F(SaverFaultsTest, AFailedSaveLeavesEverythingAsItWas) {
  bool untouched = false;
  for (std::size_t number = 1; !untouched; ++number) {
    SCOPED_TRACE(number);
    MemoryFileSystem files;
    FakeSession session(files);
    session.variables["w"] = Tensor::scalar(1.5F);
    session.meta_graph = "meta";
    SaverCore core({}, {.max_to_keep = 2}, files);
    core.save(session, "/d/m", 1);
    const Names before = files.list("/d");
    const std::string state = read_whole_file(files, "/d/checkpoint");
    const std::size_t calls_before = files.calls().size();
    files.fail_once(calls_before + number, ENOSPC);
    bool failed = false;
    try {
      core.save(session, "/d/m", 2);
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
    core.save(session, "/d/m", 3);
    EXPECT_FALSE(find_damage(files, "/d/m-3")) << "the next save works";
  }
}

// Cut at each call in turn; then the machine finds only what was synced, or all that was written.
// Contract STATE-2.
// report CK-10
TEST_F(SaverFaultsTest, ACrashAnywhereLeavesTheNewestOrTheOneBefore) {
  const FakeSession plain;
  bool untouched = false;
  for (std::size_t number = 1; !untouched; ++number) {
    SCOPED_TRACE(number);
    const CutSave cut(number, {.max_to_keep = 2}, plain);
    untouched = cut.untouched;
    for (const auto& left : {cut.files.after_power_loss(), cut.files.after_kill()}) {
      expect_newest_or_before(*left, cut.finished);
    }
  }
}

// Cut at each call in turn; then everything that the machine may find is looked at: each name that was
// changed without its folder being synced is the old or the new one, each content that was not synced is torn
// or lost.
TEST_F(SaverFaultsTest, EveryLegalLossLeavesTheNewestOrTheOneBefore) {
  FakeSession captured;
  captured.can_capture = true;
  captured.meta_graph = "meta";
  for (const SaveMode mode : {SaveMode::kGraph, SaveMode::kSync}) {
    std::size_t looked_at = 0;
    bool untouched = false;
    for (std::size_t number = 1; !untouched; ++number) {
      SCOPED_TRACE(number);
      CutSave cut(number, {.max_to_keep = 2, .mode = mode}, captured);
      untouched = cut.untouched;
      looked_at += cut.files.each_legal_loss(
          "/d", [&](MemoryFileSystem& left) { expect_newest_or_before(left, cut.finished); });
    }
    EXPECT_GT(looked_at, 200U);
  }
}

// Each call fails once, or it and all behind it, with each of the usual errors.
TEST_F(SaverFaultsTest, NoFaultCostsACheckpointAndTheNextSaveWorks) {
  for (const int error : {ENOSPC, EDQUOT, EIO, EACCES, EROFS}) {
    for (const bool persistent : {false, true}) {
      bool untouched = false;
      for (std::size_t number = 1; !untouched; ++number) {
        MemoryFileSystem files;
        FakeSession session(files);
        session.variables["w"] = Tensor::scalar(1.5F);
        session.can_capture = true;
        SaverCore core({}, {.max_to_keep = 2, .mode = SaveMode::kAsync}, files);
        core.save(session, "/d/m", 1);
        ASSERT_TRUE(core.wait(std::chrono::minutes(1)));
        ASSERT_EQ(core.take_saved().size(), 1U);
        const std::size_t calls_before = files.calls().size();
        persistent ? files.fail_from(calls_before + number, error)
                   : files.fail_once(calls_before + number, error);
        const std::string failure = outcome([&] {
          core.save(session, "/d/m", 2);
          ASSERT_TRUE(core.wait(std::chrono::minutes(1)));
          (void)core.take_saved();
        });
        untouched = files.calls().size() < calls_before + number;
        files.fail_once(0, 0);
        EXPECT_FALSE(untouched && failure != "done");
        const auto newest = newest_whole_checkpoint(files, "/d", "checkpoint", nullptr);
        EXPECT_TRUE(newest == "/d/m-1" || newest == "/d/m-2") << number << " " << failure;
        core.save(session, "/d/m", 3);
        ASSERT_TRUE(core.wait(std::chrono::minutes(1)));
        EXPECT_EQ(newest_whole_checkpoint(files, "/d", "checkpoint", nullptr), "/d/m-3")
            << number << " " << failure;
      }
    }
  }
}

// Contract STATE-8.
TEST_F(SaverFaultsTest, NewestWholePassesOverDamagedOnes) {
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

TEST_F(SaverFaultsTest, NoneWholeIsAnErrorAndNoneListedIsNot) {
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
