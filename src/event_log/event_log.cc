#include "event_log/event_log.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "fermata/log.h"
#include "platform/paths.h"
#include "platform/process.h"
#include "platform/unix_time.h"
#include "wire/record_framing.h"

namespace fermata {
namespace {

// A name that no file has. Seconds alone would not do: two writers, or two runs in containers that always
// have the same process number, may begin within one.
std::string new_path(FileSystem& files, const std::string& dir, double now, const std::string& suffix) {
  static std::atomic<std::uint64_t> count{0};
  const auto seconds = static_cast<std::int64_t>(now);
  while (true) {
    std::string path = join_path(dir, fmt::format("events.out.tfevents.{:010}.{}.{}.{}{}", seconds,
                                                  host_name(), process_id(), count.fetch_add(1), suffix));
    if (!files.info(path)) {
      return path;
    }
  }
}

}  // namespace

EventLog::EventLog(FileSystem& files, const std::string& dir, EventWriter::Options options, Writing writing)
    : files_(files),
      options_(std::move(options)),
      writing_(writing),
      clock_(options_.clock ? options_.clock : Clock::system()) {
  files_.create_directories(dir);
  path_ = new_path(files_, dir, wall_seconds(), options_.filename_suffix);
  if (!options_.filename_suffix.empty()) {
    open();
  }
}

double EventLog::wall_seconds() const { return unix_seconds(clock_->wall_now()); }

wire::EventStamp EventLog::stamp(std::optional<Step> step) const { return {wall_seconds(), step}; }

template <typename Work>
void EventLog::guarded(const Work& work) {
  if (failure_) {
    throw Error(*failure_);
  }
  try {
    work();
  } catch (const Error& error) {
    failure_ = error;
    throw;
  }
}

template <typename Append>
void EventLog::add(const Append& append) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    log(LogLevel::kWarning,
        fmt::format("{}: an event was added after the file was closed; it is dropped", path_));
    return;
  }
  guarded([&] {
    if (file_ == nullptr) {
      open();
    }
    event_.clear();
    append(event_);
    write_record(event_);
  });
}

void EventLog::open() {
  std::unique_ptr<WritableFile> file = files_.create_new(path_);
  if (file == nullptr) {
    throw Error(
        Code::kAlreadyExists,
        fmt::format("{}: a new event file was expected, but somebody else has made one of this name; start "
                    "again",
                    path_),
        ErrorSource::kSystem);
  }
  file_ = std::move(file);
  try {
    begin_file();
  } catch (const Error&) {
    throw;  // It stays the failure of this writer.
  } catch (...) {
    // No memory, no thread: the next record begins the file anew.
    background_.reset();
    buffer_.reset();
    file_.reset();
    files_.remove(path_);
    throw;
  }
}

void EventLog::begin_file() {
  if (writing_ == Writing::kByThread) {
    background_ = std::make_unique<BackgroundFile>(
        *file_, BackgroundFile::Options{options_.flush_interval, options_.flush_bytes, options_.queue_bytes});
  } else {
    buffer_.emplace(*file_, options_.flush_bytes);
  }
  std::string version;
  wire::append_version_event(version, std::floor(wall_seconds()));
  write_record(version);
  flush_held();
}

void EventLog::write_record(std::string_view event) {
  record_.clear();
  wire::append_record(record_, event);
  if (background_) {
    background_->write(record_);
    return;
  }
  buffer_->write(record_);
  if (clock_->now() - last_flush_ >= options_.flush_interval) {
    flush_held();
  }
}

void EventLog::flush_held() {
  if (background_) {
    background_->flush();
    return;
  }
  buffer_->flush();
  last_flush_ = clock_->now();
}

// A file that was removed still takes what is written, and loses it.
void EventLog::check_still_there() {
  if (!files_.info(path_)) {
    throw Error(
        Code::kNotFound,
        fmt::format(
            "{}: the event file was expected, but somebody has removed it; events since then are lost",
            path_),
        ErrorSource::kSystem);
  }
}

void EventLog::add_scalar(std::string_view tag, float value, Step step) {
  add([&](std::string& event) {
    if (!tags_.contains(tag)) {
      tags_.emplace(tag);
    }
    wire::append_scalar_event(event, stamp(step), tag, value);
  });
}

void EventLog::add_summary(std::string_view serialized, Step step) {
  const std::optional<std::vector<wire::SummaryValue>> values = wire::decode_summary(serialized);
  if (!values) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format(
            "EventWriter::add_summary: a serialized tensorflow.Summary was expected, found {} bytes of "
            "something else",
            serialized.size()));
  }
  add([&](std::string& event) {
    const auto is_first = [&](std::string_view tag) { return tags_.emplace(tag).second; };
    wire::append_summary_event(event, stamp(step), *wire::strip_summary_metadata(serialized, is_first));
  });
}

void EventLog::add_session_log(wire::SessionStatus status, std::string_view checkpoint_path, Step step) {
  add([&](std::string& event) {
    wire::append_session_log_event(event, stamp(step), status, checkpoint_path);
  });
}

void EventLog::add_graph_def(std::string_view serialized, Step step) {
  add([&](std::string& event) { wire::append_graph_event(event, stamp(step), serialized); });
}

void EventLog::add_meta_graph_def(std::string_view serialized) {
  add([&](std::string& event) { wire::append_meta_graph_event(event, stamp(std::nullopt), serialized); });
}

void EventLog::add_run_metadata(std::string_view serialized, std::string_view tag, Step step) {
  {
    const std::lock_guard lock(mutex_);
    if (!run_metadata_tags_.emplace(tag).second) {
      throw Error(
          Code::kInvalidArgument,
          fmt::format("EventWriter::add_run_metadata: the tag '{}' is there already, give each run its own",
                      tag));
    }
  }
  add([&](std::string& event) { wire::append_run_metadata_event(event, stamp(step), tag, serialized); });
}

void EventLog::flush() {
  const std::lock_guard lock(mutex_);
  guarded([&] {
    if (file_ != nullptr && !closed_) {
      flush_held();
      check_still_there();
    }
  });
}

void EventLog::close() {
  const std::lock_guard lock(mutex_);
  guarded([&] {
    if (file_ != nullptr && !closed_) {
      flush_held();
      background_.reset();
      file_->sync();
      file_->close();
      check_still_there();
    }
    closed_ = true;
  });
}

bool EventLog::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace fermata
