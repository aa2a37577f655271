#include "event_log/event_log.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "event_log/event_reader.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/manual_clock.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;
using Kind = wire::Event::Kind;

class EventLogTest : public testing::Test {
 protected:
  std::unique_ptr<EventLog> make(const std::string& suffix = "") {
    return std::make_unique<EventLog>(files_, "/logs", EventWriter::Options{suffix, clock_});
  }
  std::vector<wire::Event> events(const std::string& path) {
    std::vector<wire::Event> all;
    EventReader reader(path, files_);
    while (const auto record = reader.next()) {
      EXPECT_EQ(record->damage, "");
      all.push_back(record->event.value_or(wire::Event()));
    }
    EXPECT_EQ(reader.torn_tail(), "");
    return all;
  }
  static std::string outcome(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return code_name(error.code()) + " " + error.what();
    }
    return "done";
  }

  MemoryFileSystem files_;
  std::shared_ptr<testkit::ManualClock> clock_ = std::make_shared<testkit::ManualClock>();
  testkit::LogCapture log_;
};

// Contract EVENT-1, EVENT-10.
TEST_F(EventLogTest, NameHasTimeHostProcessAndCount) {
  const auto first = make();
  const auto second = make("_suffix");
  EXPECT_TRUE(first->path().starts_with("/logs/events.out.tfevents.1577836800.")) << first->path();
  EXPECT_NE(first->path(), second->path());
  EXPECT_TRUE(second->path().ends_with("_suffix"));
}

TEST_F(EventLogTest, TheFileAppearsWithTheFirstRecord) {
  const auto unused = make();
  unused->close();
  EXPECT_TRUE(files_.list("/logs").empty());
  const auto suffixed = make("_suffix");
  EXPECT_EQ(files_.list("/logs").size(), 1U) << "with a suffix it is there at once";
}

// report CU-04
TEST_F(EventLogTest, FirstRecordIsTheVersionInWholeSeconds) {
  clock_->advance_seconds(1.75);
  const auto log = make();
  log->add_scalar("loss", 0.5F, 3);
  log->close();
  const auto all = events(log->path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kind, Kind::kVersion);
  EXPECT_EQ(all[0].content, "brain.Event:2");
  EXPECT_EQ(all[0].writer, "tensorflow.core.util.events_writer");
  EXPECT_EQ(all[0].wall_seconds, 1577836801.0);
  EXPECT_EQ(all[1].wall_seconds, 1577836801.75);
}

TEST_F(EventLogTest, OneOfEachKind) {
  const auto log = make();
  log->add_session_log(wire::SessionStatus::kStart, "", 1);
  log->add_scalar("loss", 0.5F, 10);
  log->add_graph_def("graph");
  log->add_meta_graph_def("meta");
  log->add_run_metadata("stats", "test run", 40);
  log->add_session_log(wire::SessionStatus::kCheckpoint, "d/m", 41);
  log->close();
  const auto all = events(log->path());
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[1].status, wire::SessionStatus::kStart);
  EXPECT_EQ(all[1].step, 1);
  EXPECT_EQ(all[2].values.at(0).tag, "loss");
  EXPECT_EQ(all[2].step, 10);
  EXPECT_EQ(all[3].kind, Kind::kGraph);
  EXPECT_EQ(all[3].step, 0);
  EXPECT_EQ(all[4].content, "meta");
  EXPECT_EQ(all[5].tag, "test run");
  EXPECT_EQ(all[6].checkpoint_path, "d/m");
}

// A summary with one value that has the metadata of a plugin.
std::string plugin_summary(const std::string& tag) {
  const auto field = [](int number, const std::string& content) {
    return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(content.size())} + content;
  };
  return field(1, field(1, tag) + field(9, field(1, field(1, "bar"))));
}

TEST_F(EventLogTest, PluginDataAreWrittenWithTheFirstValueOfATagOnly) {
  const auto log = make();
  log->add_summary(plugin_summary("foo"), 10);
  log->add_summary(plugin_summary("foo"), 11);
  log->add_summary(plugin_summary("other"), 11);
  log->add_scalar("late", 1.0F, 12);
  log->add_summary(plugin_summary("late"), 13);
  log->close();
  Names plugins;
  for (const wire::Event& event : events(log->path())) {
    for (const wire::SummaryValue& value : event.values) {
      plugins.push_back(value.tag + " " + value.plugin_name);
    }
  }
  EXPECT_EQ(plugins, (Names{"foo bar", "foo ", "other bar", "late ", "late "}));
}

TEST_F(EventLogTest, WhatIsNoSummaryIsRefusedAndTheFileGoesOn) {
  const auto log = make();
  EXPECT_EQ(outcome([&] { log->add_summary("\x0a\x7f", 1); }),
            "INVALID_ARGUMENT EventWriter::add_summary: a serialized tensorflow.Summary was expected, found "
            "2 bytes of "
            "something else");
  log->add_scalar("loss", 1.0F, 2);
  log->close();
  EXPECT_EQ(events(log->path()).size(), 2U);
}

TEST_F(EventLogTest, RunMetadataNeedATagOfTheirOwn) {
  const auto log = make();
  log->add_run_metadata("stats", "a", 1);
  EXPECT_EQ(
      outcome([&] { log->add_run_metadata("stats", "a", 2); }),
      "INVALID_ARGUMENT EventWriter::add_run_metadata: the tag 'a' is there already, give each run its own");
}

TEST_F(EventLogTest, RecordsAreHeldUntilAFlush) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  EXPECT_EQ(events(log->path()).size(), 1U) << "the version is there at once";
  log->flush();
  EXPECT_EQ(events(log->path()).size(), 2U);
}

TEST_F(EventLogTest, OldRecordsAreFlushedByTheNextOne) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  clock_->advance_seconds(5);
  log->add_scalar("loss", 1.0F, 2);
  EXPECT_EQ(events(log->path()).size(), 3U);
}

TEST_F(EventLogTest, ManyRecordsAreFlushedBySize) {
  const auto log = make();
  for (Step step = 0; step < 5000; ++step) {
    log->add_scalar("loss", 1.0F, step);
  }
  EXPECT_GT(events(log->path()).size(), 2000U);
  log->close();
  EXPECT_EQ(events(log->path()).size(), 5001U);
}

TEST_F(EventLogTest, ClosedFilesSurviveAPowerLossAsFarAsTheirNameDoes) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  log->close();
  EXPECT_EQ(files_.calls().back(), "close " + log->path());
  EXPECT_EQ(files_.calls().at(files_.calls().size() - 2), "sync " + log->path());
}

TEST_F(EventLogTest, AfterCloseRecordsAreDroppedWithAWarning) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  log->close();
  log->close();
  log->flush();
  log->add_scalar("loss", 1.0F, 2);
  EXPECT_TRUE(log->closed());
  EXPECT_EQ(log_.lines(), Names{"WARNING " + log->path() +
                                ": an event was added after the file was closed; it is dropped"});
  EXPECT_EQ(events(log->path()).size(), 2U);
}

// Contract EVENT-11.
TEST_F(EventLogTest, AFailureIsThrownByEachLaterCall) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  files_.fail_once(files_.calls().size() + 1, ENOSPC);
  const std::string expected = "RESOURCE_EXHAUSTED " + log->path() +
                               ": cannot write: the disk is full; free some space or choose another disk";
  EXPECT_EQ(outcome([&] { log->flush(); }), expected);
  EXPECT_EQ(outcome([&] { log->add_scalar("loss", 1.0F, 2); }), expected);
  EXPECT_EQ(outcome([&] { log->add_session_log(wire::SessionStatus::kStart, "", 2); }), expected);
  EXPECT_EQ(outcome([&] { log->flush(); }), expected);
  EXPECT_EQ(outcome([&] { log->close(); }), expected);
  EXPECT_EQ(outcome([&] { log->close(); }), expected);
}

TEST_F(EventLogTest, AFolderThatCannotBeMadeIsAnErrorAtOnce) {
  files_.fail_once(1, EACCES);
  EXPECT_TRUE(outcome([&] { make(); }).starts_with("PERMISSION_DENIED /logs: "));
}

// Contract EVENT-14.
// report SU-06
TEST_F(EventLogTest, AFileThatWasRemovedIsNamed) {
  const auto log = make();
  log->add_scalar("loss", 1.0F, 1);
  files_.remove(log->path());
  EXPECT_EQ(outcome([&] { log->flush(); }),
            "NOT_FOUND " + log->path() +
                ": the event file was expected, but somebody has removed it; events since then are lost");
}

// Contract EVENT-10.
TEST_F(EventLogTest, AFileOfTheSameNameIsNotTouched) {
  const auto log = make();
  files_.create(log->path())->write("another's");
  EXPECT_TRUE(
      outcome([&] { log->add_scalar("loss", 1.0F, 1); }).starts_with("ALREADY_EXISTS " + log->path()));
}

}  // namespace
}  // namespace fermata
