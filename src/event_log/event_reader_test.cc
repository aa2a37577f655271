#include "event_log/event_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/file_content.h"
#include "tests/support/fixtures.h"
#include "tests/support/memory_file_system.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

using nlohmann::json;
using wire::Event;

const char* const kReferenceFile = "reference_files/events/events.out.tfevents.0000000000.host";

std::string kind_name(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kVersion:
      return "file_version";
    case Event::Kind::kGraph:
      return "graph_def";
    case Event::Kind::kMetaGraph:
      return "meta_graph_def";
    case Event::Kind::kSummary:
      return "summary";
    case Event::Kind::kSessionLog:
      return "session_log";
    case Event::Kind::kRunMetadata:
      return "run_metadata";
    default:
      return "other";
  }
}

std::string status_name(wire::SessionStatus status) {
  return status == wire::SessionStatus::kStart        ? "START"
         : status == wire::SessionStatus::kCheckpoint ? "CHECKPOINT"
                                                      : "?";
}

void expect_content(const Event& event, const json& expected) {
  if (event.kind == Event::Kind::kVersion) {
    EXPECT_EQ(event.content, expected["file_version"]);
    EXPECT_EQ(event.writer, expected["writer"]);
  } else if (event.kind == Event::Kind::kSessionLog) {
    EXPECT_EQ(status_name(event.status), expected["status"]);
    EXPECT_EQ(event.checkpoint_path, expected["checkpoint_path"]);
  } else if (event.kind == Event::Kind::kSummary) {
    ASSERT_EQ(event.values.size(), expected["values"].size());
    for (std::size_t i = 0; i < event.values.size(); ++i) {
      const json& value = expected["values"][i];
      EXPECT_EQ(event.values[i].tag, value["tag"]);
      EXPECT_EQ(event.values[i].plugin_name, value["plugin"]);
      EXPECT_EQ(value["field"], "simple_value");
      EXPECT_NEAR(event.values[i].simple_value, value["value"].get<double>(), 1e-5);
    }
  } else {
    EXPECT_EQ(event.content.size(), expected["bytes"]);
  }
}

// What the reference wrote, with what a reader must find in it.
TEST(ReferenceEventFileTest, EachRecordIsRead) {
  const std::string path = fixture_path(kReferenceFile);
  const json expected = json::parse(std::ifstream(fixture_path("reference_files/events/events.json")));
  EventReader reader(path);
  ASSERT_EQ(expected["records"].size(), 14U);
  for (const json& row : expected["records"]) {
    SCOPED_TRACE(row["offset"].dump());
    const auto record = reader.next();
    ASSERT_TRUE(record);
    ASSERT_TRUE(record->event) << record->damage;
    EXPECT_EQ(record->offset, row["offset"]);
    EXPECT_EQ(record->length_bytes, row["length"]);
    EXPECT_EQ(record->event->wall_seconds, row["wall_time"]);
    EXPECT_EQ(record->event->step, row["step"]);
    EXPECT_EQ(kind_name(record->event->kind), row["what"]);
    expect_content(*record->event, row);
  }
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.torn_tail(), "");
}

// Each record encoded anew has the bytes of the reference.
TEST(ReferenceEventFileTest, EachRecordIsWritten) {
  const std::string path = fixture_path(kReferenceFile);
  EventReader reader(path);
  std::string written;
  while (const auto record = reader.next()) {
    ASSERT_TRUE(record->event);
    const Event& event = *record->event;
    const wire::EventStamp stamp{event.wall_seconds, event.step};
    std::string bytes;
    switch (event.kind) {
      case Event::Kind::kVersion:
        wire::append_version_event(bytes, event.wall_seconds);
        break;
      case Event::Kind::kGraph:
        wire::append_graph_event(bytes, stamp, event.content);
        break;
      case Event::Kind::kMetaGraph:
        wire::append_meta_graph_event(bytes, stamp, event.content);
        break;
      case Event::Kind::kSessionLog:
        wire::append_session_log_event(bytes, stamp, event.status, event.checkpoint_path);
        break;
      default:
        ASSERT_EQ(event.values.size(), 1U);
        wire::append_scalar_event(bytes, stamp, event.values[0].tag, event.values[0].simple_value);
    }
    wire::append_record(written, bytes);
  }
  EXPECT_EQ(written, read_whole_file(FileSystem::system(), path));
}

class EventReaderTest : public testing::Test {
 protected:
  EventReaderTest() {
    std::string event;
    wire::append_version_event(event, 1);
    wire::append_record(file_, event);
    second_ = file_.size();
    event.clear();
    wire::append_scalar_event(event, {2, 7}, "loss", 0.5F);
    wire::append_record(file_, event);
    third_ = file_.size();
    wire::append_record(file_, event);
  }
  EventReader reader(const std::string& content) {
    write_synced_file(files_, "/e", content);
    return EventReader("/e", files_);
  }

  MemoryFileSystem files_;
  std::string file_;
  std::size_t second_ = 0;
  std::size_t third_ = 0;
};

TEST_F(EventReaderTest, ATornTailIsToleratedAndNamedAtEveryLength) {
  for (std::size_t size = 0; size <= file_.size(); ++size) {
    SCOPED_TRACE(size);
    EventReader reading = reader(file_.substr(0, size));
    std::size_t whole = 0;
    while (const auto record = reading.next()) {
      EXPECT_TRUE(record->event);
      ++whole;
    }
    EXPECT_EQ(whole, size < second_ ? 0 : size < third_ ? 1 : size < file_.size() ? 2 : 3);
    const bool at_border = size == 0 || size == second_ || size == third_ || size == file_.size();
    const std::size_t start = size < second_ ? 0 : size < third_ ? second_ : third_;
    EXPECT_EQ(reading.torn_tail(),
              at_border ? "" : "/e: the last record, at byte " + std::to_string(start) + ", is not complete");
  }
}

TEST_F(EventReaderTest, AWrongContentIsNamedAndPassed) {
  file_[second_ + 20] = static_cast<char>(file_[second_ + 20] ^ 1);
  EventReader reading = reader(file_);
  EXPECT_TRUE(reading.next()->event);
  const auto damaged = reading.next();
  ASSERT_TRUE(damaged);
  EXPECT_FALSE(damaged->event);
  EXPECT_EQ(damaged->damage, "/e: the record at byte " + std::to_string(second_) +
                                 " does not have the checksum that stands behind it");
  EXPECT_EQ(reading.next()->event->step, 7);
  EXPECT_FALSE(reading.next());
}

TEST_F(EventReaderTest, AWrongLengthIsNamedAndTheNextGoodRecordFound) {
  file_[second_] = static_cast<char>(file_[second_] ^ 1);
  EventReader reading = reader(file_);
  EXPECT_TRUE(reading.next()->event);
  EXPECT_EQ(reading.next()->damage, "/e: the record at byte " + std::to_string(second_) +
                                        " begins with a length that does not have its checksum");
  const auto third = reading.next();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->offset, third_);
  EXPECT_FALSE(reading.next());
}

TEST_F(EventReaderTest, NothingGoodAfterAWrongLengthEndsTheFile) {
  EventReader reading = reader(std::string(100, 'x'));
  EXPECT_EQ(reading.next()->damage,
            "/e: the record at byte 0 begins with a length that does not have its checksum");
  EXPECT_FALSE(reading.next());
}

TEST_F(EventReaderTest, ARecordThatIsNoEventIsNamed) {
  std::string content;
  wire::append_record(content, "\x0a\x7f");
  EventReader reading = reader(content);
  EXPECT_EQ(reading.next()->damage, "/e: the record at byte 0 is no event");
}

TEST_F(EventReaderTest, AWrongBitAnywhereIsNamedOrATornTail) {
  for (std::size_t at = 0; at < file_.size(); ++at) {
    std::string wrong = file_;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x04);
    EventReader reading = reader(wrong);
    std::size_t damaged = 0;
    std::size_t good = 0;
    while (const auto record = reading.next()) {
      ++(record->event ? good : damaged);
    }
    EXPECT_EQ(damaged, 1U) << at;
    EXPECT_EQ(good, 2U) << at;
  }
}

}  // namespace
}  // namespace fermata
