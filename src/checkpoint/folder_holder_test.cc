#include "checkpoint/folder_holder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "platform/file_content.h"
#include "platform/process.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFile = "/d/.fermata.lock";
// More than the system gives to any process.
constexpr std::int64_t kNobody = 99999999;
// The first process of the machine.
constexpr std::int64_t kSomebody = 1;

class WithoutLocks : public MemoryFileSystem {
 public:
  std::unique_ptr<FolderLock> try_lock(const std::string& /*path*/) override { return nullptr; }
};

std::string content(const std::string& host, std::int64_t pid) {
  return fmt::format("{{\n \"host\": \"{}\",\n \"pid\": {},\n \"since\": 1700000000.5\n}}", host, pid);
}

class FolderHolderTest : public testing::Test {
 protected:
  FolderHolderTest() {
    files_.create_directories("/d");
    without_locks_.create_directories("/d");
  }

  static std::string refusal(FileSystem& files) {
    try {
      const FolderHolder holder(files, "/d", 0);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kFailedPrecondition);
      EXPECT_EQ(error.source(), ErrorSource::kSystem);
      return error.what();
    }
  }

  MemoryFileSystem files_;
  WithoutLocks without_locks_;
  testkit::LogCapture log_;
};

TEST_F(FolderHolderTest, AFileSaysWhoHoldsTheFolderWhileItIsHeld) {
  {
    const FolderHolder holder(files_, "/d", 1700000000.5);
    EXPECT_EQ(read_whole_file(files_, kFile), content(host_name(), process_id()));
  }
  EXPECT_THAT(files_.list("/d"), IsEmpty());
}

TEST_F(FolderHolderTest, SeveralOfOneProcessHoldItTogether) {
  for (FileSystem* files : {static_cast<FileSystem*>(&files_), static_cast<FileSystem*>(&without_locks_)}) {
    auto first = std::make_unique<FolderHolder>(*files, "/d", 0);
    const auto second = std::make_unique<FolderHolder>(*files, "/d/../d", 0);
    first.reset();
    EXPECT_TRUE(files->info(kFile));
  }
  EXPECT_THAT(files_.list("/d"), IsEmpty());
  EXPECT_EQ(refusal(files_), "");
  EXPECT_THAT(log_.lines(), IsEmpty());
}

TEST_F(FolderHolderTest, ASecondProcessIsToldWho) {
  const auto of_another_process = files_.try_lock("/d");
  write_synced_file(files_, kFile, content("elsewhere", 17));
  EXPECT_EQ(refusal(files_),
            "/d: only one process may save checkpoints in a folder, and this one is held by process 17 on "
            "elsewhere, since 2023-11-14 22:13:20 UTC; wait for its end or save in another folder");
  EXPECT_THAT(files_.list("/d"), ElementsAre(".fermata.lock"));
}

// It has just got the lock, or the disk was full.
TEST_F(FolderHolderTest, ALockWithoutAFileHoldsTheFolderToo) {
  const auto of_another_process = files_.try_lock("/d");
  EXPECT_THAT(refusal(files_), HasSubstr("held by a process that has not written its name; wait"));
  write_synced_file(files_, kFile, content(host_name(), kNobody));
  EXPECT_THAT(refusal(files_), HasSubstr("held by a process that has not written its name; wait"));
}

TEST_F(FolderHolderTest, WhatIsNotLockedAnyMoreIsTakenOver) {
  write_synced_file(files_, kFile, content("elsewhere", 17));
  EXPECT_EQ(refusal(files_), "");
  EXPECT_THAT(log_.take(),
              ElementsAre("INFO /d/.fermata.lock: taken over from process 17 on elsewhere, since "
                          "2023-11-14 22:13:20 UTC, which no longer holds the folder"));
  write_synced_file(files_, kFile, "{\"host\":");
  EXPECT_EQ(refusal(files_), "");
  EXPECT_THAT(log_.take(), ElementsAre(HasSubstr("taken over from a process that has not written its name")));
  EXPECT_THAT(files_.list("/d"), IsEmpty());
}

TEST_F(FolderHolderTest, WithoutLocksTheFileDecides) {
  write_synced_file(without_locks_, kFile, content("elsewhere", kNobody));
  EXPECT_THAT(refusal(without_locks_), HasSubstr("process 99999999 on elsewhere"));
  EXPECT_THAT(refusal(without_locks_), HasSubstr("or remove /d/.fermata.lock if it no longer runs"));
  write_synced_file(without_locks_, kFile, content(host_name(), kSomebody));
  EXPECT_THAT(refusal(without_locks_), HasSubstr("held by process 1 on"));
  write_synced_file(without_locks_, kFile, "");
  EXPECT_THAT(refusal(without_locks_), HasSubstr("a process that has not written its name"));
  EXPECT_THAT(log_.lines(), IsEmpty());
}

TEST_F(FolderHolderTest, WithoutLocksAProcessThatIsGoneIsRecognised) {
  for (const std::int64_t pid : {kNobody, process_id(), std::int64_t{0}}) {
    write_synced_file(without_locks_, kFile, content(host_name(), pid));
    EXPECT_EQ(refusal(without_locks_), "") << pid;
    EXPECT_THAT(log_.take(), ElementsAre(HasSubstr("taken over from process"))) << pid;
  }
}

TEST_F(FolderHolderTest, WhatAnotherProcessWroteIsNotRemoved) {
  {
    const FolderHolder holder(without_locks_, "/d", 0);
    write_synced_file(without_locks_, kFile, content("elsewhere", 17));
  }
  EXPECT_EQ(read_whole_file(without_locks_, kFile), content("elsewhere", 17));
}

TEST_F(FolderHolderTest, AFullDiskEndsNoTraining) {
  files_.fail_from(files_.calls().size() + 2, ENOSPC);
  EXPECT_EQ(refusal(files_), "");
  EXPECT_THAT(log_.lines(), testing::Contains(HasSubstr("other processes are not told who saves there")));
}

}  // namespace
}  // namespace fermata
