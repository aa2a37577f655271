// Folders as long runs leave them, and the names that folders have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_writer.h"
#include "fermata/checkpoint_reader.h"
#include "fermata/error.h"
#include "fermata/saver.h"
#include "tests/support/fake_session.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;
using testing::Optional;
using testing::SizeIs;

constexpr int kMany = 10'000;

Tensor number(int value) { return Tensor::scalar(static_cast<float>(value)); }

float weight_of(const FakeSession& session) { return session.variables.at("w").view().scalar<float>(); }

class ManyCheckpointsTest : public testing::Test {
 protected:
  // Links to one and the same files: what counts is how many names there are.
  void fill() const {
    BundleWriter writer(prefix(1));
    writer.add("w", Tensor::scalar(1.0F).view());
    writer.finish();
    CheckpointState state;
    for (int step = 1; step <= kMany; ++step) {
      if (step > 1) {
        fs::create_hard_link(index_path(prefix(1)), index_path(prefix(step)));
        fs::create_hard_link(data_path(prefix(1), 0, 1), data_path(prefix(step), 0, 1));
      }
      state.all_model_checkpoint_paths.push_back(prefix(step));
    }
    state.model_checkpoint_path = prefix(kMany);
    update_checkpoint_state(folder_.path(), state);
  }

  [[nodiscard]] std::string prefix(int step) const { return folder_.path() + "/m-" + std::to_string(step); }

  TempFolder folder_;
};

// Quick is: nothing grows with the square of their number, and none is opened without need. Each of these
// takes some milliseconds; the bound is there for what takes minutes.
TEST_F(ManyCheckpointsTest, AreListedRestoredAndKeptQuickly) {
  fill();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(list_checkpoints(folder_.path()), SizeIs(kMany));
  EXPECT_EQ(latest_checkpoint(folder_.path()), prefix(kMany));
  EXPECT_EQ(newest_whole_checkpoint(folder_.path()), prefix(kMany));

  FakeSession session;
  session.variables["w"] = number(2);
  Saver saver(SaverDef{}, {.max_to_keep = kMany});
  saver.recover_last_checkpoints(get_checkpoint_state(folder_.path())->all_model_checkpoint_paths);
  saver.save(session, folder_.path() + "/m", kMany + 1);
  EXPECT_FALSE(checkpoint_exists(prefix(1)));
  EXPECT_TRUE(checkpoint_exists(prefix(2)));
  saver.restore(session, prefix(kMany + 1));
  EXPECT_THAT(saver.last_checkpoints(), SizeIs(kMany));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(ManyCheckpointsTest, AllDamagedButTheOldestAreGoneThroughQuickly) {
  fill();
  for (int step = 2; step <= kMany; ++step) {
    fs::remove(data_path(prefix(step), 0, 1));
  }
  std::vector<std::string> damaged;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(newest_whole_checkpoint(folder_.path(), &damaged), prefix(1));
  EXPECT_THAT(damaged, SizeIs(kMany - 1));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// Each of these is a folder below the test's own.
class FolderNamesTest : public testing::TestWithParam<const char*> {
 protected:
  TempFolder folder_;
};

TEST_P(FolderNamesTest, SavesListsAndRestores) {
  const std::string dir = folder_.path() + "/" + GetParam();
  FakeSession session;
  Saver saver(SaverDef{}, {.max_to_keep = 1});
  for (int step = 1; step <= 3; ++step) {
    session.variables["w"] = number(step);
    saver.save(session, dir + "/model.ckpt", step);
  }
  const std::string newest = dir + "/model.ckpt-3";
  EXPECT_THAT(latest_checkpoint(dir), Optional(newest));
  EXPECT_THAT(newest_whole_checkpoint(dir), Optional(newest));
  EXPECT_THAT(list_checkpoints(dir), SizeIs(1));
  EXPECT_EQ(find_checkpoint(dir), newest);
  session.variables["w"] = number(0);
  saver.restore(session, newest);
  EXPECT_EQ(weight_of(session), 3.0F);
}

INSTANTIATE_TEST_SUITE_P(All, FolderNamesTest,
                         testing::Values("with spaces in it", "läuft Schritt für Schritt", "実行/一",
                                         "a/../b/./c", "quote\"and\\back'slash", "percent%20{}$(echo)*?[a]",
                                         "-starts-with-dash", "new\nline"));

class MovedFolderTest : public testing::Test {
 protected:
  // Saves one checkpoint of the weight 7.
  void save(const std::string& dir, const Saver::Options& options) {
    session_.variables["w"] = number(7);
    Saver(SaverDef{}, options).save(session_, dir + "/model.ckpt", 1);
  }
  // The weight that the newest checkpoint of a folder has.
  float restored(const std::string& dir) {
    session_.variables["w"] = number(0);
    Saver(SaverDef{}).restore(session_, newest_whole_checkpoint(dir).value());
    return weight_of(session_);
  }

  TempFolder folder_;
  FakeSession session_;
};

TEST_F(MovedFolderTest, RestoresWithRelativePaths) {
  save(folder_.path() + "/old", {.save_relative_paths = true});
  fs::rename(folder_.path() + "/old", folder_.path() + "/moved to here");
  EXPECT_EQ(restored(folder_.path() + "/moved to here"), 7.0F);
}

TEST_F(MovedFolderTest, ALinkToTheFolderIsAsGoodAsTheFolder) {
  const std::string link = folder_.path() + "/link";
  fs::create_directories(folder_.path() + "/real/deep");
  fs::create_directory_symlink("real/deep", link);
  save(link, {});
  EXPECT_EQ(restored(link), 7.0F);
  EXPECT_TRUE(fs::exists(folder_.path() + "/real/deep/model.ckpt-1.index"));
}

TEST_F(MovedFolderTest, ALinkToNowhereIsNamed) {
  fs::create_directory_symlink("nowhere", folder_.path() + "/link");
  try {
    save(folder_.path() + "/link", {});
    FAIL() << "it was saved";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(folder_.path() + "/link"));
  }
}

}  // namespace
}  // namespace fermata
