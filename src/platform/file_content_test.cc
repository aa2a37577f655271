#include "platform/file_content.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "fermata/error.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

TEST(FileContentTest, ReplaceSurvivesAPowerLoss) {
  MemoryFileSystem files;
  replace_file(files, "/state", "new");
  EXPECT_EQ(read_whole_file(*files.after_power_loss(), "/state"), "new");
}

// Cut at each call in turn, until one run passes untouched.
TEST(FileContentTest, ReplaceLeavesOldOrNewWhereverItIsCut) {
  for (std::size_t number = 1;; ++number) {
    MemoryFileSystem files;
    replace_file(files, "/state", "old");
    const std::size_t before = files.calls().size();
    files.fail_from(before + number, EIO);
    bool failed = false;
    try {
      replace_file(files, "/state", "new");
    } catch (const Error&) {
      failed = true;
    }
    for (const auto& left : {files.after_power_loss(), files.after_kill()}) {
      const std::string content = read_whole_file(*left, "/state");
      EXPECT_TRUE(content == "old" || content == "new") << number << content;
      EXPECT_TRUE(failed || content == "new") << number;
    }
    if (!failed) {
      EXPECT_EQ(files.calls().size(), before + number - 1);
      break;
    }
  }
}

TEST(FileContentTest, ReplaceLeavesNothingAsideAfterAFailure) {
  for (std::size_t number = 1; number <= 5; ++number) {
    MemoryFileSystem files;
    replace_file(files, "/state", "old");
    files.fail_once(files.calls().size() + number, ENOSPC);
    EXPECT_THROW(replace_file(files, "/state", "new"), Error);
    EXPECT_EQ(files.list("/"), std::vector<std::string>{"state"}) << number;
    EXPECT_EQ(read_whole_file(files, "/state"), "old");
  }
}

TEST(FileContentTest, AsidePathsDiffer) {
  const std::string first = aside_path("d/m.index");
  EXPECT_TRUE(first.starts_with("d/m.index.tempstate")) << first;
  EXPECT_EQ(first.size(), std::string("d/m.index.tempstate").size() + 16);
  EXPECT_NE(first, aside_path("d/m.index"));
}

TEST(FileContentTest, KnowsTheNamesItGives) {
  EXPECT_TRUE(is_aside_name(aside_path("m.index")));
  EXPECT_TRUE(is_aside_name(".m.tempstate0123456789abcdef"));
  for (const char* name : {"", "m.index", ".tempstate", "m.tempstate0123", "m.tempstate0123456789abcdeg",
                           "m.tempstate0123456789abcdef0", "m.TEMPSTATE0123456789abcdef"}) {
    EXPECT_FALSE(is_aside_name(name)) << name;
  }
}

TEST(FileContentTest, BufferedWriterKeepsTheOrderOfSmallAndLarge) {
  MemoryFileSystem files;
  const auto file = files.create("/a");
  BufferedWriter writer(*file, 8);
  std::string expected;
  for (const char* piece : {"ab", "cdefg", "hi", "a piece larger than the buffer", "", "12345678", "z"}) {
    writer.write(piece);
    expected += piece;
    EXPECT_EQ(writer.bytes_written(), expected.size());
  }
  EXPECT_EQ(writer.bytes_held(), 1U);
  writer.flush();
  EXPECT_EQ(read_whole_file(files, "/a"), expected);
}

}  // namespace
}  // namespace fermata
