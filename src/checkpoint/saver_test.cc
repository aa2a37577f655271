#include "fermata/saver.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "platform/file_content.h"
#include "tests/support/fake_session.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

class SaverTest : public testing::Test {
 protected:
  SaverTest() { session_.variables["w"] = Tensor::scalar(1.5F); }

  TempFolder folder_;
  FakeSession session_;
  testkit::LogCapture log_;
};

TEST_F(SaverTest, SavesAndRestoresOnDisk) {
  Saver saver(SaverDef{});
  const std::string prefix = saver.save(session_, folder_ / "a b/\u00fc/../m", 7);
  EXPECT_EQ(prefix, folder_ / "a b/\u00fc/../m-7");
  EXPECT_TRUE(checkpoint_exists(prefix));
  session_.variables["w"] = Tensor::scalar(0.0F);
  saver.restore(session_, prefix);
  EXPECT_EQ(session_.variables["w"].view().scalar<float>(), 1.5F);
  EXPECT_EQ(saver.last_checkpoints(), Names{prefix});
}

TEST_F(SaverTest, TakesTheNumbersOfTheDefinition) {
  SaverDef def;
  def.max_to_keep = 1;
  Saver saver(def);
  EXPECT_EQ(saver.def().max_to_keep, 1);
  saver.save(session_, folder_ / "m", 1);
  saver.save(session_, folder_ / "m", 2);
  EXPECT_FALSE(checkpoint_exists(folder_ / "m-1"));
}

// report CK-08
TEST_F(SaverTest, TheFolderMayBeMovedWithRelativePaths) {
  Saver saver(SaverDef{}, {.save_relative_paths = true});
  saver.save(session_, folder_ / "d/m", 1);
  EXPECT_EQ(latest_checkpoint(folder_ / "d"), folder_ / "d/m-1");
  std::filesystem::rename(folder_ / "d", folder_ / "e");
  EXPECT_FALSE(latest_checkpoint(folder_ / "d"));
  EXPECT_EQ(latest_checkpoint(folder_ / "e"), folder_ / "e/m-1");
  EXPECT_EQ(newest_whole_checkpoint(folder_ / "e"), folder_ / "e/m-1");
}

// Contract SAVER-22.
TEST_F(SaverTest, ACheckpointOfAnEarlierProcessHasTheTimeOfItsFile) {
  const auto clock = std::make_shared<testkit::ManualClock>();
  Saver earlier(SaverDef{}, {.clock = clock});
  for (const int minutes : {30, 90}) {
    const std::string old = earlier.save(session_, folder_ / "old", minutes);
    const auto written = clock->wall_now() + std::chrono::minutes(minutes);
    std::filesystem::last_write_time(old + ".index", std::chrono::file_clock::from_sys(written));
    Saver saver(SaverDef{}, {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1, .clock = clock});
    saver.recover_last_checkpoints({old});
    saver.save(session_, folder_ / "new", minutes);
    EXPECT_EQ(checkpoint_exists(old), minutes > 60) << "the first hour is over after 60 minutes";
  }
}

TEST_F(SaverTest, LatestCheckpointWhoseFilesAreGoneIsAnErrorInTheLog) {
  Saver saver(SaverDef{});
  saver.save(session_, folder_ / "m", 1);
  EXPECT_EQ(get_checkpoint_state(folder_.path())->all_model_checkpoint_paths, Names{folder_ / "m-1"});
  std::filesystem::remove(folder_ / "m-1.index");
  EXPECT_FALSE(latest_checkpoint(folder_.path()));
  EXPECT_EQ(log_.lines(),
            Names{"ERROR " + (folder_ / "checkpoint") + ": there are no files for the checkpoint " +
                  (folder_ / "m-1") + " that it names"});
}

TEST_F(SaverTest, AFolderThatMayNotBeWrittenIsNamed) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "the superuser may write everywhere";
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  try {
    Saver(SaverDef{}).save(session_, folder_ / "m", 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_.path() +
                                ": cannot write in the folder: permission is denied; give this user "
                                "access or choose another folder");
    EXPECT_EQ(error.code(), Code::kPermissionDenied);
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
}

TEST_F(SaverTest, ReadManifest) {
  session_.engine_state.set("step", std::int64_t{41});
  Saver saver(SaverDef{});
  const std::string prefix = saver.save(session_, folder_ / "m", 7);
  const auto manifest = read_manifest(prefix);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->step, 7);
  EXPECT_EQ(manifest->state.engine.integer("step"), 41);
  EXPECT_FALSE(read_manifest(folder_ / "other"));
  EXPECT_TRUE(log_.lines().empty());
  write_synced_file(FileSystem::system(), prefix + ".manifest.json", "{");
  EXPECT_FALSE(read_manifest(prefix));
  EXPECT_EQ(log_.lines().size(), 1U);
}

TEST_F(SaverTest, FindDamage) {
  Saver saver(SaverDef{});
  const std::string prefix = saver.save(session_, folder_ / "m", 7);
  EXPECT_FALSE(find_damage(prefix));
  std::filesystem::resize_file(prefix + ".data-00000-of-00001", 2);
  EXPECT_EQ(find_damage(prefix),
            prefix +
                ".data-00000-of-00001: 2 bytes, but 'w' should be at byte 0 with 4 bytes; "
                "use another checkpoint");
}

TEST_F(SaverTest, WithoutChecksumsOnlySizesAreLookedAt) {
  const std::string older = Saver(SaverDef{}).save(session_, folder_ / "m", 6);
  Saver saver(SaverDef{}, {.verify_checksums = false});
  saver.recover_last_checkpoints({older});
  const std::string prefix = saver.save(session_, folder_ / "m", 7);
  const std::string data = prefix + ".data-00000-of-00001";
  write_synced_file(FileSystem::system(), data, "abcd");
  EXPECT_EQ(newest_whole_checkpoint(folder_.path()), older);
  EXPECT_EQ(newest_whole_checkpoint(folder_.path(), nullptr, false), prefix);
  EXPECT_THROW(Saver(SaverDef{}).restore(session_, prefix), Error);
  EXPECT_FALSE(saver.verify_checksums());
  std::filesystem::resize_file(data, 2);
  EXPECT_EQ(newest_whole_checkpoint(folder_.path(), nullptr, false), older);
  EXPECT_THROW(saver.restore(session_, prefix), Error);
}

TEST_F(SaverTest, StepOfACheckpoint) {
  EXPECT_EQ(step_of_checkpoint("d/model.ckpt-500"), 500);
  EXPECT_EQ(step_of_checkpoint("d-3/m-00000007"), 7);
  for (const char* prefix : {"d-3/m", "m-", "m-7x", "m-99999999999999999999", "", "m-1/"}) {
    EXPECT_FALSE(step_of_checkpoint(prefix)) << prefix;
  }
}

}  // namespace
}  // namespace fermata
