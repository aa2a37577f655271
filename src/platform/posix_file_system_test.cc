#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/file_system.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

class PosixFileSystemTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view content) {
    write_synced_file(files_, folder_ / name, content);
  }
  std::string read(const std::string& name) { return read_whole_file(files_, folder_ / name); }

  template <typename Call>
  static Code code_of_failure(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.source(), ErrorSource::kSystem);
      return error.code();
    }
    return Code::kOk;
  }

  FileSystem& files_ = FileSystem::system();
  TempFolder folder_;
};

TEST_F(PosixFileSystemTest, WhatIsWrittenIsRead) {
  const std::string content("text\0with zero", 14);
  write("a", content);
  EXPECT_EQ(read("a"), content);
  write("a", "shorter");
  EXPECT_EQ(read("a"), "shorter");
}

TEST_F(PosixFileSystemTest, AppendGoesToTheEnd) {
  write("a", "one");
  const auto file = files_.append(folder_ / "a");
  file->write("two");
  file->close();
  file->close();
  EXPECT_EQ(read("a"), "onetwo");
}

TEST_F(PosixFileSystemTest, CreateNewLeavesAFileThatIsThere) {
  EXPECT_NE(files_.create_new(folder_ / "a"), nullptr);
  write("a", "kept");
  EXPECT_EQ(files_.create_new(folder_ / "a"), nullptr);
  EXPECT_EQ(read("a"), "kept");
}

TEST_F(PosixFileSystemTest, ReadAtStopsAtTheEnd) {
  write("a", "0123456789");
  const auto file = files_.open(folder_ / "a");
  EXPECT_EQ(file->size(), 10U);
  char bytes[8] = {};
  EXPECT_EQ(file->read_at(4, bytes, 3), 3U);
  EXPECT_EQ(std::string(bytes, 3), "456");
  EXPECT_EQ(file->read_at(8, bytes, 8), 2U);
  EXPECT_EQ(file->read_at(10, bytes, 8), 0U);
  EXPECT_EQ(file->read_at(~std::uint64_t{0}, bytes, 8), 0U);
}

TEST_F(PosixFileSystemTest, RenameReplaces) {
  write("a", "new");
  write("b", "old");
  files_.rename(folder_ / "a", folder_ / "b");
  files_.sync_directory(folder_.path());
  EXPECT_EQ(read("b"), "new");
  EXPECT_FALSE(files_.info(folder_ / "a"));
}

TEST_F(PosixFileSystemTest, RemovingWhatIsNotThereIsNoError) {
  EXPECT_NO_THROW(files_.remove(folder_ / "a"));
  EXPECT_NO_THROW(files_.remove_tree(folder_ / "a"));
}

TEST_F(PosixFileSystemTest, MakesAllLevelsAndListsSorted) {
  files_.create_directories(folder_ / "x/y/z/");
  files_.create_directories(folder_ / "x/y/z");
  write("x/b", "");
  write("x/a", "");
  EXPECT_EQ(files_.list(folder_ / "x"), (std::vector<std::string>{"a", "b", "y"}));
  files_.remove_tree(folder_ / "x");
  EXPECT_TRUE(files_.list(folder_.path()).empty());
}

TEST_F(PosixFileSystemTest, InfoTellsFilesFromFolders) {
  write("a", "123");
  const auto file = files_.info(folder_ / "a");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->is_directory);
  EXPECT_EQ(file->size, 3U);
  EXPECT_TRUE(files_.info(folder_.path())->is_directory);
  EXPECT_FALSE(files_.info(folder_ / "a/b"));
}

TEST_F(PosixFileSystemTest, InfoHasTheTimeOfTheLastChange) {
  write("a", "");
  const timespec times[2] = {{1, 0}, {1700000000, 500000000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ / "a").c_str(), times, 0), 0);
  EXPECT_EQ(files_.info(folder_ / "a")->modified.time_since_epoch(),
            std::chrono::milliseconds(1700000000500));
}

TEST_F(PosixFileSystemTest, FailuresHaveACodeAndAPath) {
  write("file", "");
  EXPECT_EQ(code_of_failure([&] { (void)files_.open(folder_ / "absent"); }), Code::kNotFound);
  EXPECT_EQ(code_of_failure([&] { (void)files_.open(folder_.path()); }), Code::kFailedPrecondition);
  EXPECT_EQ(code_of_failure([&] { (void)files_.create(folder_.path()); }), Code::kFailedPrecondition);
  EXPECT_EQ(code_of_failure([&] { (void)files_.create(folder_ / "file/x"); }), Code::kFailedPrecondition);
  EXPECT_EQ(code_of_failure([&] { (void)files_.list(folder_ / "absent"); }), Code::kNotFound);
  EXPECT_EQ(code_of_failure([&] { files_.rename(folder_ / "absent", folder_ / "x"); }), Code::kNotFound);
  EXPECT_EQ(code_of_failure([&] { files_.sync_file(folder_ / "absent"); }), Code::kNotFound);
  EXPECT_EQ(code_of_failure([&] { files_.sync_directory(folder_ / "file"); }), Code::kFailedPrecondition);
  EXPECT_EQ(code_of_failure([&] { files_.remove(folder_.path()); }), Code::kFailedPrecondition);
}

TEST_F(PosixFileSystemTest, AFileInPlaceOfAFolderIsNamed) {
  write("file", "");
  for (const char* name : {"file", "file/below"}) {
    try {
      files_.create_directories(folder_ / name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kFailedPrecondition);
      EXPECT_EQ(error.what(),
                (folder_ / name) +
                    ": cannot make the folder: a part of the path is a file, a folder was expected; "
                    "choose another folder or move that file away");
    }
  }
}

TEST_F(PosixFileSystemTest, AFolderThatMayNotBeWrittenIsNamed) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "the superuser may write everywhere";
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  EXPECT_EQ(code_of_failure([&] { (void)files_.create(folder_ / "a"); }), Code::kPermissionDenied);
  EXPECT_EQ(code_of_failure([&] { files_.create_directories(folder_ / "a"); }), Code::kPermissionDenied);
  EXPECT_EQ(code_of_failure([&] { files_.check_writable(folder_.path()); }), Code::kPermissionDenied);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
}

TEST_F(PosixFileSystemTest, AFolderThatMayBeWrittenIsNot) {
  EXPECT_NO_THROW(files_.check_writable(folder_.path()));
  EXPECT_EQ(code_of_failure([&] { files_.check_writable(folder_ / "absent"); }), Code::kNotFound);
}

TEST_F(PosixFileSystemTest, AFolderIsHeldByOne) {
  auto first = files_.try_lock(folder_.path());
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(files_.try_lock(folder_.path()), nullptr);
  first.reset();
  EXPECT_NE(files_.try_lock(folder_.path()), nullptr);
  EXPECT_EQ(files_.try_lock(folder_ / "absent"), nullptr);
}

// However it ends: nothing has to be tidied up.
TEST_F(PosixFileSystemTest, AProcessThatEndsLetsGoOfItsFolders) {
  int ready[2];
  int wait[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(wait), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = files_.try_lock(folder_.path());
    char byte = held ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(wait[0], &byte, 1);
    ::_exit(0);
  }
  char answer = '?';
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(files_.try_lock(folder_.path()), nullptr);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_NE(files_.try_lock(folder_.path()), nullptr);
  for (const int descriptor : {ready[0], ready[1], wait[0], wait[1]}) {
    ::close(descriptor);
  }
}

TEST_F(PosixFileSystemTest, AFullDiskIsNamed) {
  if (::access("/dev/full", W_OK) != 0) {
    GTEST_SKIP() << "/dev/full is not there";
  }
  EXPECT_EQ(code_of_failure([&] { files_.append("/dev/full")->write("x"); }), Code::kResourceExhausted);
}

TEST_F(PosixFileSystemTest, SyncsWhatOthersHaveWritten) {
  write("a", "x");
  EXPECT_NO_THROW(files_.sync_file(folder_ / "a"));
}

TEST_F(PosixFileSystemTest, NoDescriptorIsLeftOpen) {
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_descriptors();
  write("a", "x");
  (void)read("a");
  files_.sync_file(folder_ / "a");
  files_.sync_directory(folder_.path());
  (void)files_.list(folder_.path());
  (void)code_of_failure([&] { (void)files_.open(folder_.path()); });
  { const auto unclosed = files_.append(folder_ / "a"); }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace fermata
