#include "fermata/event_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fermata/error.h"
#include "fermata/event_writer.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata {
namespace {

class EventFileTest : public testing::Test {
 protected:
  ~EventFileTest() override { std::filesystem::remove_all(dir_); }
  std::string dir_ = testing::TempDir() + "event_file_test";
};

TEST_F(EventFileTest, ReadsBackWhatAWriterWrote) {
  EventWriter writer(dir_, {.clock = std::make_shared<testkit::ManualClock>()});
  writer.add_scalar("loss", 0.5, 3);
  writer.add_session_checkpoint(4, "model.ckpt-4");
  writer.close();
  const std::vector<LoggedEvent> events = read_event_file(writer.path());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 3);
  ASSERT_EQ(events[1].scalars.size(), 1U);
  EXPECT_EQ(events[1].scalars.front().tag, "loss");
  EXPECT_EQ(events[1].scalars.front().value, 0.5);
  EXPECT_EQ(events[2].kind, LoggedEvent::Kind::kSessionLog);
  EXPECT_EQ(events[2].checkpoint_path, "model.ckpt-4");
}

TEST_F(EventFileTest, ADamagedRecordIsNamed) {
  EventWriter writer(dir_);
  writer.add_scalar("loss", 0.5, 3);
  writer.close();
  std::FILE* file = std::fopen(writer.path().c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::fseek(file, 14, SEEK_SET);
  std::fputc('x', file);
  std::fclose(file);
  EXPECT_THROW(static_cast<void>(read_event_file(writer.path())), Error);
}

}  // namespace
}  // namespace fermata
