#include "event_log/background_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "fermata/error.h"
#include "platform/file_content.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

constexpr std::chrono::hours kNever{1000};

class BackgroundFileTest : public testing::Test {
 protected:
  std::string content() { return read_whole_file(files_, "/f"); }

  MemoryFileSystem files_;
  std::unique_ptr<WritableFile> file_ = files_.create("/f");
};

TEST_F(BackgroundFileTest, FlushReturnsOnceAllIsInTheFile) {
  BackgroundFile background(*file_, {.flush_interval = kNever});
  background.write("one ");
  background.write("two");
  background.flush();
  EXPECT_EQ(content(), "one two");
  background.flush();
}

TEST_F(BackgroundFileTest, EnoughIsWrittenWithoutBeingAsked) {
  BackgroundFile background(*file_, {.flush_interval = kNever, .flush_bytes = 4, .queue_bytes = 4});
  // Each but the last has to wait until the one before is taken.
  for (int i = 0; i < 100; ++i) {
    background.write("four");
  }
  background.flush();
  EXPECT_EQ(content().size(), 400U);
}

// Contract EVENT-8.
TEST_F(BackgroundFileTest, TheTimeIsEnoughToo) {
  BackgroundFile background(*file_, {.flush_interval = std::chrono::milliseconds(1), .queue_bytes = 3});
  background.write("one");
  // Room comes only by the time that passes.
  background.write("two");
  background.flush();
  EXPECT_EQ(content(), "onetwo");
}

// Contract EVENT-7.
TEST_F(BackgroundFileTest, NothingIsDroppedWhenTheDiskIsSlow) {
  std::atomic<int> added{0};
  {
    BackgroundFile background(*file_, {.flush_interval = kNever, .flush_bytes = 1, .queue_bytes = 8});
    files_.hold();
    std::thread adder([&] {
      for (int i = 0; i < 1000; ++i) {
        background.write("12345678");
        ++added;
      }
    });
    // One is being written and one waits: more has no room.
    EXPECT_LE(added, 3);
    files_.release();
    adder.join();
  }
  EXPECT_EQ(content().size(), 8000U);
}

TEST_F(BackgroundFileTest, TheDestructorWritesWhatIsHeld) {
  { BackgroundFile(*file_, {.flush_interval = kNever}).write("held"); }
  EXPECT_EQ(content(), "held");
}

TEST_F(BackgroundFileTest, AnErrorIsSaidByEachLaterCall) {
  BackgroundFile background(*file_, {.flush_interval = kNever});
  files_.fail_once(files_.calls().size() + 1, ENOSPC);
  background.write("lost");
  EXPECT_THROW(background.flush(), Error);
  EXPECT_THROW(background.write("more"), Error);
  EXPECT_THROW(background.flush(), Error);
}

TEST_F(BackgroundFileTest, ManyThreadsMayAdd) {
  for (const int count : {1, 2, 8, 64}) {
    file_ = files_.create("/f");
    BackgroundFile background(*file_, {.flush_interval = kNever, .flush_bytes = 16, .queue_bytes = 64});
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 50; ++j) {
          background.write("0123");
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    background.flush();
    EXPECT_EQ(content().size(), static_cast<std::size_t>(count) * 200);
  }
}

}  // namespace
}  // namespace fermata
