#include "fermata/event_file.h"

#include <optional>
#include <utility>

#include "event_log/event_reader.h"
#include "fermata/error.h"
#include "wire/event_proto.h"

namespace fermata {
namespace {

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
      return LoggedEvent::Kind::kSessionLog;
    case wire::Event::Kind::kRunMetadata:
      return LoggedEvent::Kind::kRunMetadata;
    default:
      return LoggedEvent::Kind::kOther;
  }
}

LoggedEvent logged(const wire::Event& event) {
  LoggedEvent made;
  made.kind = kind_of(event.kind);
  made.wall_seconds = event.wall_seconds;
  made.step = event.step;
  made.version = event.kind == wire::Event::Kind::kVersion ? event.content : std::string();
  for (const wire::SummaryValue& value : event.values) {
    if (value.kind == wire::SummaryValue::Kind::kSimple) {
      made.scalars.push_back({value.tag, value.simple_value, value.plugin_name});
    }
  }
  made.session_status = static_cast<int>(event.status);
  made.checkpoint_path = event.checkpoint_path;
  made.tag = event.tag;
  return made;
}

}  // namespace

std::vector<LoggedEvent> read_event_file(const std::string& path) {
  EventReader reader(path);
  std::vector<LoggedEvent> events;
  while (const std::optional<EventRecord> record = reader.next()) {
    if (!record->event) {
      throw Error(Code::kDataLoss, record->damage, ErrorSource::kSystem);
    }
    events.push_back(logged(*record->event));
  }
  return events;
}

}  // namespace fermata
