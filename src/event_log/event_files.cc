#include "fermata/event_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "event_log/event_reader.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_system.h"
#include "platform/paths.h"
#include "wire/summary_proto.h"
#include "wire/tensor_proto.h"

namespace fermata {
namespace {

using SessionStatus = wire::SessionStatus;
using ValueKind = EventValue::Kind;

constexpr Step kNever = std::numeric_limits<Step>::max();
// TensorBoard looks for this in a file's name.
constexpr std::string_view kNameMark = "tfevents";

[[noreturn]] void throw_none(const std::string& path, std::string_view found) {
  throw Error(Code::kNotFound,
              fmt::format("{}: an event file or a folder with some (files with '{}' in their names) was "
                          "expected, found {}",
                          path, kNameMark, found));
}

std::vector<std::string> find_files(const std::string& path) {
  FileSystem& files = FileSystem::system();
  const std::optional<FileInfo> info = files.info(path);
  if (!info) {
    throw_none(path, "nothing");
  }
  if (!info->is_directory) {
    return {path};
  }
  std::vector<std::string> found;
  for (const std::string& name : files.list(path)) {
    if (name.find(kNameMark) != std::string::npos) {
      found.push_back(join_path(path, name));
    }
  }
  if (found.empty()) {
    throw_none(path, "a folder without any");
  }
  return found;
}

std::string_view status_name(SessionStatus status) {
  switch (status) {
    case SessionStatus::kStart:
      return "start";
    case SessionStatus::kStop:
      return "stop";
    case SessionStatus::kCheckpoint:
      return "checkpoint";
    case SessionStatus::kUnspecified:
      break;
  }
  return "unspecified";
}

// What a value is can depend on the plugin, which stands only with the first value of a tag.
class ValueReader {
 public:
  EventValue read(const wire::SummaryValue& stored) {
    if (!stored.plugin_name.empty()) {
      plugins_[stored.tag] = stored.plugin_name;
    }
    EventValue value;
    value.tag = stored.tag;
    value.size_bytes = stored.data.size();
    switch (stored.kind) {
      case wire::SummaryValue::Kind::kSimple:
        value.kind = ValueKind::kScalar;
        value.scalar = stored.simple_value;
        value.size_bytes = sizeof(float);
        break;
      case wire::SummaryValue::Kind::kHistogram:
        value.kind = ValueKind::kHistogram;
        value.text = wire::histogram_words(stored.data).value_or("");
        break;
      case wire::SummaryValue::Kind::kImage:
        value.kind = ValueKind::kImage;
        value.text = wire::image_words(stored.data).value_or("");
        break;
      case wire::SummaryValue::Kind::kAudio:
        value.kind = ValueKind::kAudio;
        break;
      case wire::SummaryValue::Kind::kTensor:
        take_tensor(stored, value);
        break;
      default:
        value.kind = ValueKind::kOther;
    }
    return value;
  }

 private:
  void take_tensor(const wire::SummaryValue& stored, EventValue& value) {
    value.kind = ValueKind::kTensor;
    const auto found = plugins_.find(stored.tag);
    const std::string_view plugin = found == plugins_.end() ? std::string_view() : found->second;
    const std::optional<wire::TensorGlance> tensor = wire::glance_at_tensor(stored.data);
    if (!tensor) {
      return;
    }
    if (plugin == "scalars") {
      value.kind = ValueKind::kScalar;
      value.scalar = tensor->first_number;
    } else if (plugin == "text") {
      value.kind = ValueKind::kText;
      for (const std::string& text : tensor->strings) {
        value.text += (value.text.empty() ? "" : "\n") + text;
      }
    } else if (plugin == "histograms") {
      value.kind = ValueKind::kHistogram;
    } else if (plugin == "images") {
      value.kind = ValueKind::kImage;
    } else if (plugin == "audio") {
      value.kind = ValueKind::kAudio;
    }
  }

  std::map<std::string, std::string, std::less<>> plugins_;
};

LoggedEvent::Kind kind_of(wire::Event::Kind kind) {
  switch (kind) {
    case wire::Event::Kind::kVersion:
      return LoggedEvent::Kind::kVersion;
    case wire::Event::Kind::kGraph:
      return LoggedEvent::Kind::kGraph;
    case wire::Event::Kind::kMetaGraph:
      return LoggedEvent::Kind::kMetaGraph;
    case wire::Event::Kind::kSummary:
      return LoggedEvent::Kind::kSummary;
    case wire::Event::Kind::kSessionLog:
      return LoggedEvent::Kind::kSession;
    case wire::Event::Kind::kRunMetadata:
      return LoggedEvent::Kind::kRunMetadata;
    default:
      return LoggedEvent::Kind::kOther;
  }
}

LoggedEvent logged(const wire::Event& stored, ValueReader& values) {
  LoggedEvent event;
  event.wall_seconds = stored.wall_seconds;
  event.step = stored.step;
  event.kind = kind_of(stored.kind);
  event.checkpoint_path = stored.checkpoint_path;
  if (stored.kind == wire::Event::Kind::kSessionLog) {
    event.text = status_name(stored.status);
  } else if (stored.kind == wire::Event::Kind::kVersion) {
    event.text = stored.content;
  } else if (stored.kind == wire::Event::Kind::kRunMetadata) {
    event.text = stored.tag;
  }
  for (const wire::SummaryValue& value : stored.values) {
    event.values.push_back(values.read(value));
  }
  return event;
}

// Where a run began anew: behind how many records, counted over all files, and at which step.
struct Start {
  std::uint64_t record = 0;
  Step step = 0;
};

enum class Tell { kNothing, kFaults };

// All good records of all files, with their numbers.
class Records {
 public:
  Records(const std::vector<std::string>& files, bool skip_damaged)
      : files_(files), skip_damaged_(skip_damaged) {}

  template <typename Visit>
  void read(Tell tell, const Visit& visit) const {
    std::uint64_t number = 0;
    for (const std::string& path : files_) {
      EventReader reader(path);
      while (const std::optional<EventRecord> record = reader.next()) {
        if (record->event) {
          visit(number++, *record->event);
        } else {
          pass_over(record->damage, tell);
        }
      }
      if (tell == Tell::kFaults && !reader.torn_tail().empty()) {
        log(LogLevel::kWarning, reader.torn_tail());
      }
    }
  }

 private:
  void pass_over(const std::string& damage, Tell tell) const {
    if (!skip_damaged_) {
      throw Error(Code::kDataLoss, damage + "; what stands behind it can be read by skipping it",
                  ErrorSource::kSystem);
    }
    if (tell == Tell::kFaults) {
      log(LogLevel::kWarning, damage + "; it is skipped");
    }
  }

  const std::vector<std::string>& files_;
  bool skip_damaged_;
};

// Which values a later start has replaced.
class Restarts {
 public:
  explicit Restarts(const Records& records) {
    records.read(Tell::kNothing, [&](std::uint64_t number, const wire::Event& event) {
      if (event.kind == wire::Event::Kind::kSessionLog && event.status == SessionStatus::kStart) {
        starts_.push_back({number, event.step});
      }
    });
    // From here on: the lowest step of this start and all later ones.
    for (std::size_t i = starts_.size(); i-- > 1;) {
      starts_[i - 1].step = std::min(starts_[i - 1].step, starts_[i].step);
    }
  }

  // Asked with growing numbers.
  bool replaced(std::uint64_t number, Step step) {
    while (next_ < starts_.size() && starts_[next_].record <= number) {
      ++next_;
    }
    return step >= (next_ < starts_.size() ? starts_[next_].step : kNever);
  }

 private:
  std::vector<Start> starts_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view event_value_kind_name(EventValue::Kind kind) noexcept {
  switch (kind) {
    case ValueKind::kScalar:
      return "scalar";
    case ValueKind::kHistogram:
      return "histogram";
    case ValueKind::kImage:
      return "image";
    case ValueKind::kAudio:
      return "audio";
    case ValueKind::kText:
      return "text";
    case ValueKind::kTensor:
      return "tensor";
    case ValueKind::kOther:
      break;
  }
  return "other";
}

EventFiles::EventFiles(const std::string& path) : EventFiles(path, Options()) {}

EventFiles::EventFiles(const std::string& path, Options options)
    : files_(find_files(path)), options_(options) {}

void EventFiles::read(const Visitor& visit) const {
  const Records records(files_, options_.skip_damaged);
  std::optional<Restarts> restarts;
  if (options_.apply_restarts) {
    restarts.emplace(records);
  }
  ValueReader values;
  records.read(Tell::kFaults, [&](std::uint64_t number, const wire::Event& stored) {
    const LoggedEvent event = logged(stored, values);
    const bool is_value = event.kind == LoggedEvent::Kind::kSummary;
    if (!(is_value && restarts && restarts->replaced(number, event.step))) {
      visit(event);
    }
  });
}

EventFileCheck check_event_file(const std::string& path) {
  EventFileCheck check;
  EventReader reader(path);
  while (const std::optional<EventRecord> record = reader.next()) {
    if (record->event) {
      ++check.records;
    } else {
      check.damage.push_back(record->damage);
    }
  }
  check.torn_tail = reader.torn_tail();
  const std::optional<FileInfo> info = FileSystem::system().info(path);
  check.size_bytes = info ? info->size : 0;
  return check;
}

}  // namespace fermata
