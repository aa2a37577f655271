#include "wire/event_proto.h"

#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

constexpr EventStamp kStamp{.wall_seconds = 1700000000.5, .step = 7};

Event decoded(const std::string& bytes) {
  const std::optional<Event> event = decode_event(bytes);
  EXPECT_TRUE(event);
  return event.value_or(Event());
}

// A field with a length, for messages that the writer does not make.
std::string bytes_field(int tag, const std::string& content) {
  return std::string{static_cast<char>(tag * 8 + 2), static_cast<char>(content.size())} + content;
}

TEST(EventProtoTest, Version) {
  std::string bytes;
  append_version_event(bytes, 1700000000.0);
  const Event event = decoded(bytes);
  EXPECT_EQ(event.kind, Event::Kind::kVersion);
  EXPECT_EQ(event.content, "brain.Event:2");
  EXPECT_EQ(event.writer, "tensorflow.core.util.events_writer");
  EXPECT_EQ(event.wall_seconds, 1700000000.0);
  EXPECT_EQ(bytes.size(), 62U) << "the size of the reference's first record";
}

TEST(EventProtoTest, Scalar) {
  std::string bytes;
  append_scalar_event(bytes, kStamp, "loss", 0.25F);
  const Event event = decoded(bytes);
  EXPECT_EQ(event.kind, Event::Kind::kSummary);
  EXPECT_EQ(event.step, 7);
  EXPECT_EQ(event.wall_seconds, 1700000000.5);
  ASSERT_EQ(event.values.size(), 1U);
  EXPECT_EQ(event.values[0].tag, "loss");
  EXPECT_EQ(event.values[0].kind, SummaryValue::Kind::kSimple);
  EXPECT_EQ(event.values[0].simple_value, 0.25F);
}

TEST(EventProtoTest, SessionLog) {
  std::string bytes;
  append_session_log_event(bytes, kStamp, SessionStatus::kCheckpoint, "d/m");
  const Event event = decoded(bytes);
  EXPECT_EQ(event.kind, Event::Kind::kSessionLog);
  EXPECT_EQ(event.status, SessionStatus::kCheckpoint);
  EXPECT_EQ(event.checkpoint_path, "d/m");
}

TEST(EventProtoTest, GraphsAndRunMetadata) {
  std::string bytes;
  append_graph_event(bytes, {}, "graph");
  EXPECT_EQ(decoded(bytes).kind, Event::Kind::kGraph);
  EXPECT_EQ(decoded(bytes).content, "graph");
  EXPECT_EQ(decoded(bytes).step, 0);
  bytes.clear();
  append_meta_graph_event(bytes, {}, "meta");
  EXPECT_EQ(decoded(bytes).kind, Event::Kind::kMetaGraph);
  bytes.clear();
  append_run_metadata_event(bytes, kStamp, "tag", "stats");
  EXPECT_EQ(decoded(bytes).kind, Event::Kind::kRunMetadata);
  EXPECT_EQ(decoded(bytes).tag, "tag");
  EXPECT_EQ(decoded(bytes).content, "stats");
}

TEST(EventProtoTest, UnknownFieldsAreSkipped) {
  std::string bytes;
  append_scalar_event(bytes, kStamp, "loss", 0.25F);
  bytes += bytes_field(15, "future");
  EXPECT_EQ(decoded(bytes).kind, Event::Kind::kSummary);
}

TEST(EventProtoTest, EveryBeginningIsReadOrRefused) {
  std::string bytes;
  append_scalar_event(bytes, kStamp, "loss", 0.25F);
  EXPECT_FALSE(decode_event(bytes.substr(0, bytes.size() - 1)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NO_THROW((void)decode_event(bytes.substr(0, size)));
  }
}

std::string value_with_plugin(const std::string& tag) {
  const std::string plugin = bytes_field(1, bytes_field(1, "scalars"));
  return bytes_field(1, bytes_field(1, tag) + bytes_field(9, plugin) + std::string("\x15\0\0\x80\x3f", 5));
}

TEST(EventProtoTest, MetadataIsStrippedWhereItIsNotWanted) {
  const std::string summary = value_with_plugin("a") + value_with_plugin("b");
  const std::optional<std::string> stripped =
      strip_summary_metadata(summary, [](std::string_view tag) { return tag == "a"; });
  ASSERT_TRUE(stripped);
  const auto values = decode_summary(*stripped);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 2U);
  EXPECT_EQ((*values)[0].plugin_name, "scalars");
  EXPECT_EQ((*values)[1].tag, "b");
  EXPECT_FALSE((*values)[1].has_metadata);
  EXPECT_EQ((*values)[1].simple_value, 1.0F);
}

TEST(EventProtoTest, WhatIsNoSummaryIsRefused) {
  EXPECT_FALSE(decode_summary("\x0a\x7f"));
  EXPECT_FALSE(strip_summary_metadata("\x0a\x7f", [](std::string_view) { return true; }));
}

}  // namespace
}  // namespace fermata::wire
