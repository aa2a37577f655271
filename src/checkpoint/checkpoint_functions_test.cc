// The functions over checkpoints that need no saver, and the list of one that was told of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fermata/error.h"
#include "fermata/saver.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "platform/file_content.h"
#include "tests/support/fake_session.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using testing::ElementsAre;

class CheckpointFunctionsTest : public testing::Test {
 protected:
  CheckpointFunctionsTest() { session_.variables["w"] = Tensor::scalar(1.5F); }

  std::string save(Saver& saver, Step step) { return saver.save(session_, folder_ / "m", step); }

  TempFolder folder_;
  FakeSession session_;
  testkit::LogCapture log_;
};

TEST_F(CheckpointFunctionsTest, TheStateIsWrittenAndReadBack) {
  update_checkpoint_state(folder_.path(), {.model_checkpoint_path = "m-2",
                                           .all_model_checkpoint_paths = {"m-1"},
                                           .all_model_checkpoint_timestamps = {1.5, 2.25},
                                           .last_preserved_timestamp = 0.5});
  EXPECT_EQ(read_whole_file(FileSystem::system(), folder_ / "checkpoint"),
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-1\"\n"
            "all_model_checkpoint_paths: \"m-2\"\nall_model_checkpoint_timestamps: 1.5\n"
            "all_model_checkpoint_timestamps: 2.25\nlast_preserved_timestamp: 0.5\n");
  const std::optional<CheckpointState> state = get_checkpoint_state(folder_.path());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->model_checkpoint_path, folder_ / "m-2");
  EXPECT_THAT(state->all_model_checkpoint_paths, ElementsAre(folder_ / "m-1", folder_ / "m-2"));
}

TEST_F(CheckpointFunctionsTest, TheStateMayHaveAnotherNameAndRelativePaths) {
  update_checkpoint_state(folder_.path(), {.model_checkpoint_path = folder_ / "m-2"},
                          {.latest_filename = "other", .save_relative_paths = true});
  EXPECT_EQ(read_whole_file(FileSystem::system(), folder_ / "other"),
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-2\"\n");
  EXPECT_FALSE(get_checkpoint_state(folder_.path()));
  EXPECT_TRUE(get_checkpoint_state(folder_.path(), "other"));
}

TEST_F(CheckpointFunctionsTest, AStateThatNamesItselfIsAMisuse) {
  EXPECT_THROW(update_checkpoint_state(folder_.path(), {.model_checkpoint_path = folder_ / "checkpoint"}),
               Misuse);
  EXPECT_THROW(update_checkpoint_state(folder_.path(), {.model_checkpoint_path = "checkpoint"}), Misuse);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoint"));
}

TEST_F(CheckpointFunctionsTest, TimestampsThatAreNotOneForEachPathAreRefused) {
  EXPECT_THROW(update_checkpoint_state(folder_.path(), {.model_checkpoint_path = "m-2",
                                                        .all_model_checkpoint_paths = {"m-1", "m-2"},
                                                        .all_model_checkpoint_timestamps = {1.5}}),
               Error);
}

TEST_F(CheckpointFunctionsTest, TimesAreThoseOfTheFilesAndMissingOnesAreLeftOut) {
  Saver saver(SaverDef{});
  const std::string first = save(saver, 1);
  const std::string second = save(saver, 2);
  const auto time = std::filesystem::last_write_time(first + ".index");
  std::filesystem::last_write_time(second + ".index", time + std::chrono::seconds(10));
  const std::vector<double> times = get_checkpoint_mtimes({first, folder_ / "m-9", second});
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[1] - times[0], 10);
}

TEST_F(CheckpointFunctionsTest, RemovingTakesAllFilesOfOneCheckpoint) {
  Saver saver(SaverDef{});
  const std::string first = save(saver, 1);
  const std::string second = save(saver, 2);
  remove_checkpoint(first);
  remove_checkpoint(first);
  EXPECT_FALSE(checkpoint_exists(first));
  EXPECT_TRUE(checkpoint_exists(second));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("m-1")) << entry.path();
  }
}

TEST_F(CheckpointFunctionsTest, AFileOfTheFirstFormatIsSeen) {
  EXPECT_FALSE(checkpoint_exists(folder_ / "m-1"));
  update_checkpoint_state(folder_.path(), {.model_checkpoint_path = "m-1"});
  EXPECT_FALSE(latest_checkpoint(folder_.path()));
  std::ofstream(folder_ / "m-1").close();
  EXPECT_TRUE(checkpoint_exists(folder_ / "m-1"));
  EXPECT_EQ(latest_checkpoint(folder_.path()), folder_ / "m-1");
}

// Contract STATE-13.
TEST_F(CheckpointFunctionsTest, NoPatternAndNoPartOfANameIsACheckpoint) {
  Saver saver(SaverDef{});
  save(saver, 1);
  EXPECT_FALSE(checkpoint_exists(folder_ / "m"));
  EXPECT_FALSE(checkpoint_exists(folder_ / "m?1"));
}

TEST_F(CheckpointFunctionsTest, ALastCheckpointThatWasSetLeavesTheListButStays) {
  Saver saver(SaverDef{}, {.max_to_keep = 1});
  const std::string first = save(saver, 1);
  saver.set_last_checkpoints({first});
  EXPECT_THAT(saver.last_checkpoints(), ElementsAre(first));
  const std::string second = save(saver, 2);
  EXPECT_THAT(saver.last_checkpoints(), ElementsAre(second));
  save(saver, 3);
  EXPECT_TRUE(checkpoint_exists(first));
  EXPECT_FALSE(checkpoint_exists(second));
}

}  // namespace
}  // namespace fermata
