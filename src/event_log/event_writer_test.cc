#include "fermata/event_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "event_log/event_reader.h"
#include "fermata/error.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

std::vector<wire::Event> events(const std::string& path) {
  std::vector<wire::Event> all;
  EventReader reader(path);
  while (const auto record = reader.next()) {
    EXPECT_EQ(record->damage, "");
    all.push_back(record->event.value_or(wire::Event()));
  }
  return all;
}

// report CU-10
TEST(EventWriterTest, WritesAFileInAFolderOfAnyDepth) {
  const TempFolder folder;
  std::string path;
  {
    EventWriter writer(folder / "a/b");
    writer.add_session_start(1);
    writer.add_scalar("loss", 0.25, 1);
    writer.add_session_checkpoint(1, "d/m");
    path = writer.path();
  }
  EXPECT_TRUE(path.starts_with(folder / "a/b/events.out.tfevents."));
  EXPECT_EQ(events(path).size(), 4U) << "closed by the destructor";
}

TEST(EventWriterTest, NumbersThatFloatCannotHold) {
  const TempFolder folder;
  EventWriter writer(folder.path());
  writer.add_scalar("nan", std::nan(""), 1);
  writer.add_scalar("small", 1e-300, 1);
  writer.add_scalar("inf", INFINITY, 1);
  writer.close();
  const auto all = events(writer.path());
  EXPECT_TRUE(std::isnan(all.at(1).values.at(0).simple_value));
  EXPECT_EQ(all.at(2).values.at(0).simple_value, 0);
  EXPECT_EQ(all.at(3).values.at(0).simple_value, INFINITY);
}

TEST(EventWriterTest, ManyThreadsLoseNothing) {
  for (const int count : {1, 2, 8, 64}) {
    const TempFolder folder;
    EventWriter writer(folder.path());
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&writer, i] {
        for (Step step = 0; step < 50; ++step) {
          writer.add_scalar("tag" + std::to_string(i), static_cast<double>(step), step);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    writer.close();
    EXPECT_EQ(events(writer.path()).size(), static_cast<std::size_t>(count) * 50 + 1);
  }
}

TEST(EventWriterTest, AnErrorInTheDestructorIsLogged) {
  const TempFolder folder;
  testkit::LogCapture log;
  {
    EventWriter writer(folder.path());
    writer.add_session_start(1);
    std::filesystem::remove(writer.path());
  }
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_TRUE(log.lines()[0].starts_with("ERROR ")) << log.lines()[0];
}

TEST(EventWriterTest, AFileInThePlaceOfTheFolderIsAnError) {
  const TempFolder folder;
  EventWriter other(folder.path());
  other.add_session_start(1);
  try {
    EventWriter writer(other.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_EQ(error.source(), ErrorSource::kSystem);
  }
}

// Contract EVENT-2.
TEST(SharedEventWriterTest, OneForEachFolderHoweverItIsSpelled) {
  const TempFolder folder;
  const auto first = shared_event_writer(folder / "a");
  EXPECT_EQ(shared_event_writer(folder / "a/"), first);
  EXPECT_EQ(shared_event_writer(folder / "./b/../a"), first);
  std::filesystem::create_symlink(folder / "a", folder / "link");
  EXPECT_EQ(shared_event_writer(folder / "link"), first);
  EXPECT_NE(shared_event_writer(folder / "b"), first);
}

// Contract EVENT-16.
TEST(SharedEventWriterTest, IsKeptAsLongAsSomebodyHoldsIt) {
  const TempFolder folder;
  auto first = shared_event_writer(folder.path());
  const std::string path = first->path();
  first.reset();
  EXPECT_NE(shared_event_writer(folder.path())->path(), path);
}

TEST(SharedEventWriterTest, AFailureToMakeOneLeavesRoomForTheNext) {
  const TempFolder folder;
  const auto other = shared_event_writer(folder.path());
  other->add_session_start(1);
  EXPECT_THROW((void)shared_event_writer(other->path()), Error);
  EXPECT_EQ(shared_event_writer(folder.path()), other);
}

}  // namespace
}  // namespace fermata
