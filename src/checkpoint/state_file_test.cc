#include "checkpoint/state_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "platform/file_content.h"
#include "tests/support/fixtures.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

using nlohmann::json;
// Also of lines of the log.
using Paths = std::vector<std::string>;

class StateFileTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.create_directories("/r/d");
    files_.create_directories("d");
  }

  std::string written(const std::string& dir, const std::string& latest, const Paths& all,
                      bool save_relative_paths = false) {
    write_state_file(files_, dir, "checkpoint", {latest, all, {}, {}}, save_relative_paths);
    return read_whole_file(files_, dir + "/checkpoint");
  }
  std::optional<CheckpointState> read(const std::string& text) {
    write_synced_file(files_, "/r/d/checkpoint", text);
    return read_state_file(files_, "/r/d", "checkpoint");
  }

  MemoryFileSystem files_;
  testkit::LogCapture log_;
};

TEST_F(StateFileTest, AbsoluteFolderKeepsPathsAsGiven) {
  EXPECT_EQ(written("/r/d", "/r/d/m-2", {"/r/d/m-1", "/r/d/m-2"}),
            "model_checkpoint_path: \"/r/d/m-2\"\nall_model_checkpoint_paths: \"/r/d/m-1\"\n"
            "all_model_checkpoint_paths: \"/r/d/m-2\"\n");
  EXPECT_EQ(written("/r/d", "m-2", {"m-2"}),
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-2\"\n");
}

TEST_F(StateFileTest, RelativeFolderMakesRelativePathsItsOwn) {
  EXPECT_EQ(written("d", "d/m-2", {"/r/d/m-0", "d/m-2"}),
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"/r/d/m-0\"\n"
            "all_model_checkpoint_paths: \"m-2\"\n");
}

TEST_F(StateFileTest, SaveRelativePaths) {
  EXPECT_EQ(written("/r/d", "/r/e/m-2", {"/r/d/m-1", "/r/e/m-2"}, true),
            "model_checkpoint_path: \"../e/m-2\"\nall_model_checkpoint_paths: \"m-1\"\n"
            "all_model_checkpoint_paths: \"../e/m-2\"\n");
  const auto state = read_state_file(files_, "/r/d", "checkpoint");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->model_checkpoint_path, "/r/d/../e/m-2");
  EXPECT_EQ(state->all_model_checkpoint_paths, (Paths{"/r/d/m-1", "/r/d/../e/m-2"}));
}

TEST_F(StateFileTest, TheLatestIsTheLastOfTheList) {
  EXPECT_EQ(written("/r/d", "/r/d/m-1", {"/r/d/m-1", "/r/d/m-2"}),
            "model_checkpoint_path: \"/r/d/m-1\"\nall_model_checkpoint_paths: \"/r/d/m-1\"\n"
            "all_model_checkpoint_paths: \"/r/d/m-2\"\nall_model_checkpoint_paths: \"/r/d/m-1\"\n");
}

TEST_F(StateFileTest, TimestampsComeBack) {
  write_state_file(files_, "/r/d", "checkpoint", {"m-2", {"m-1", "m-2"}, {1.5, 2.25}, 0.5}, false);
  EXPECT_TRUE(read_whole_file(files_, "/r/d/checkpoint")
                  .ends_with("all_model_checkpoint_timestamps: 1.5\nall_model_checkpoint_timestamps: 2.25\n"
                             "last_preserved_timestamp: 0.5\n"));
  const auto state = read_state_file(files_, "/r/d", "checkpoint");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->all_model_checkpoint_timestamps, (std::vector<double>{1.5, 2.25}));
  EXPECT_EQ(state->last_preserved_timestamp, 0.5);
}

TEST_F(StateFileTest, AWrongNumberOfTimestampsIsRefused) {
  EXPECT_THROW(write_state_file(files_, "/r/d", "checkpoint", {"m-2", {"m-1", "m-2"}, {1.5}, {}}, false),
               Error);
}

TEST_F(StateFileTest, NoFileIsNothingToSay) {
  EXPECT_FALSE(read_state_file(files_, "/r/d", "checkpoint"));
  EXPECT_FALSE(read_state_file(files_, "/nowhere", "checkpoint"));
  EXPECT_TRUE(log_.lines().empty());
}

TEST_F(StateFileTest, WhatCannotBeReadIsIgnoredWithAWarning) {
  EXPECT_FALSE(read("model_checkpoint_path: \n{"));
  EXPECT_EQ(log_.take(), Paths{"WARNING /r/d/checkpoint: the state of a folder of checkpoints was expected, "
                               "but line 2 lacks }; the "
                               "file is ignored"});
  EXPECT_FALSE(read(""));
  EXPECT_EQ(log_.take(), Paths{"WARNING /r/d/checkpoint: the state of a folder of checkpoints was expected, "
                               "but it names no checkpoint; "
                               "the file is ignored"});
  EXPECT_FALSE(read("model_checkpoint_path: 3"));
  EXPECT_EQ(log_.take(), Paths{"WARNING /r/d/checkpoint: the state of a folder of checkpoints was expected, "
                               "but model_checkpoint_path is "
                               "3; the file is ignored"});
  EXPECT_FALSE(read("model_checkpoint_path: 'm' last_preserved_timestamp: 'x'"));
  EXPECT_EQ(log_.take().size(), 1U);
  EXPECT_FALSE(read_state_file(files_, "/r", "d"));
  EXPECT_EQ(log_.take().size(), 1U);
}

// Contract STATE-11.
TEST_F(StateFileTest, UnknownFieldsAreSkipped) {
  const auto state = read("model_checkpoint_path: \"m-1\"\nfuture_field: 3\nother { x: 1 }\n");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->model_checkpoint_path, "/r/d/m-1");
  EXPECT_TRUE(log_.lines().empty());
}

TEST_F(StateFileTest, EveryBeginningOfAFileIsReadOrIgnored) {
  const std::string text = written("/r/d", "/r/d/m-2", {"/r/d/m-1", "/r/d/m-2"});
  for (std::size_t size = 0; size <= text.size(); ++size) {
    EXPECT_NO_THROW((void)read(text.substr(0, size)));
  }
}

// Files that the reference wrote, with what reading them from a folder yields.
TEST(ReferenceStateFileTest, FilesOfTheReferenceAreRead) {
  for (const char* name : {"checkpoint", "checkpoint_special", "checkpoint_timestamps"}) {
    SCOPED_TRACE(name);
    const std::string path = fixture_path(std::string("reference_files/state/") + name);
    const json expected = json::parse(std::ifstream(path + ".json"));
    const std::string text = read_whole_file(FileSystem::system(), path);
    MemoryFileSystem files;
    files.create_directories("d");
    write_synced_file(files, "d/checkpoint", text);
    const auto state = read_state_file(files, expected["read_from_directory"], "checkpoint");
    ASSERT_TRUE(state);
    EXPECT_EQ(state->model_checkpoint_path, expected["latest"]);
    EXPECT_EQ(json(state->all_model_checkpoint_paths), expected["all"]);
    EXPECT_EQ(json(state->all_model_checkpoint_timestamps), expected["timestamps"]);
    EXPECT_EQ(state->last_preserved_timestamp.value_or(0), expected["last_preserved"]);
  }
}

// What was read and is written again has the bytes of the reference.
TEST(ReferenceStateFileTest, WritesTheBytesOfTheReference) {
  for (const char* name : {"checkpoint", "checkpoint_special", "checkpoint_timestamps"}) {
    SCOPED_TRACE(name);
    const std::string text =
        read_whole_file(FileSystem::system(), fixture_path(std::string("reference_files/state/") + name));
    MemoryFileSystem files;
    files.create_directories("d");
    write_synced_file(files, "d/checkpoint", text);
    const auto state = read_state_file(files, "d", "checkpoint");
    ASSERT_TRUE(state);
    write_state_file(files, "d", "checkpoint", *state, false);
    EXPECT_EQ(read_whole_file(files, "d/checkpoint"), text);
  }
}

}  // namespace
}  // namespace fermata
