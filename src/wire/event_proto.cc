#include "wire/event_proto.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
using Type = protozero::pbf_wire_type;

constexpr std::string_view kFileVersion = "brain.Event:2";
// The writer this format was defined by; readers go by it to tell how values are stored.
constexpr std::string_view kSourceWriter = "tensorflow.core.util.events_writer";

constexpr std::uint32_t field(std::uint32_t tag, Type type) { return protozero::tag_and_type(tag, type); }

void add_text(pbf_writer& out, std::uint32_t tag, std::string_view text) {
  if (!text.empty()) {
    out.add_bytes(tag, text.data(), text.size());
  }
}

pbf_writer begin_event(std::string& out, const EventStamp& stamp) {
  pbf_writer event(out);
  event.add_double(1, stamp.wall_seconds);
  if (stamp.step.value_or(0) != 0) {
    event.add_int64(2, *stamp.step);
  }
  return event;
}

SummaryValue decode_value(pbf_reader message) {
  using Kind = SummaryValue::Kind;
  SummaryValue value;
  const auto take = [&](Kind kind) {
    value.kind = kind;
    value.data = read_string(message);
  };
  while (message.next()) {
    switch (message.tag_and_type()) {
      case field(1, Type::length_delimited):
        value.tag = read_string(message);
        break;
      case field(2, Type::fixed32):
        value.kind = Kind::kSimple;
        value.simple_value = message.get_float();
        break;
      case field(3, Type::length_delimited):
        take(Kind::kOther);
        break;
      case field(4, Type::length_delimited):
        take(Kind::kImage);
        break;
      case field(5, Type::length_delimited):
        take(Kind::kHistogram);
        break;
      case field(6, Type::length_delimited):
        take(Kind::kAudio);
        break;
      case field(8, Type::length_delimited):
        take(Kind::kTensor);
        break;
      case field(9, Type::length_delimited): {
        value.has_metadata = true;
        pbf_reader metadata = message.get_message();
        while (metadata.next(1, Type::length_delimited)) {
          pbf_reader plugin = metadata.get_message();
          while (plugin.next(1, Type::length_delimited)) {
            value.plugin_name = read_string(plugin);
          }
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return value;
}

std::vector<SummaryValue> decode_values(pbf_reader message) {
  std::vector<SummaryValue> values;
  while (message.next(1, Type::length_delimited)) {
    values.push_back(decode_value(message.get_message()));
  }
  return values;
}

void decode_session_log(pbf_reader message, Event& event) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case field(1, Type::varint):
        event.status = static_cast<SessionStatus>(message.get_enum());
        break;
      case field(2, Type::length_delimited):
        event.checkpoint_path = read_string(message);
        break;
      default:
        message.skip();
    }
  }
}

void decode_run_metadata(pbf_reader message, Event& event) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case field(1, Type::length_delimited):
        event.tag = read_string(message);
        break;
      case field(2, Type::length_delimited):
        event.content = read_string(message);
        break;
      default:
        message.skip();
    }
  }
}

void decode_writer(pbf_reader message, Event& event) {
  while (message.next(1, Type::length_delimited)) {
    event.writer = read_string(message);
  }
}

void decode_event_field(pbf_reader& message, Event& event) {
  const auto take = [&](Event::Kind kind) {
    event.kind = kind;
    event.content = read_string(message);
  };
  switch (message.tag_and_type()) {
    case field(1, Type::fixed64):
      event.wall_seconds = message.get_double();
      break;
    case field(2, Type::varint):
      event.step = message.get_int64();
      break;
    case field(3, Type::length_delimited):
      take(Event::Kind::kVersion);
      break;
    case field(4, Type::length_delimited):
      take(Event::Kind::kGraph);
      break;
    case field(5, Type::length_delimited):
      take(Event::Kind::kSummary);
      event.values = decode_values(fields_of(event.content));
      break;
    case field(6, Type::length_delimited):
      take(Event::Kind::kLogMessage);
      break;
    case field(7, Type::length_delimited):
      event.kind = Event::Kind::kSessionLog;
      decode_session_log(message.get_message(), event);
      break;
    case field(8, Type::length_delimited):
      event.kind = Event::Kind::kRunMetadata;
      decode_run_metadata(message.get_message(), event);
      break;
    case field(9, Type::length_delimited):
      take(Event::Kind::kMetaGraph);
      break;
    case field(10, Type::length_delimited):
      decode_writer(message.get_message(), event);
      break;
    default:
      message.skip();
  }
}

// Copies a message without its fields of number `left_out`.
std::string without_field(std::string_view bytes, std::uint32_t left_out) {
  std::string kept;
  pbf_reader message = fields_of(bytes);
  const char* start = bytes.data();
  while (message.next()) {
    const bool keep = message.tag() != left_out;
    message.skip();
    const char* end = message.data().data();
    if (keep) {
      kept.append(start, end);
    }
    start = end;
  }
  return kept;
}

}  // namespace

void append_version_event(std::string& out, double wall_seconds) {
  pbf_writer event = begin_event(out, {.wall_seconds = wall_seconds, .step = std::nullopt});
  add_text(event, 3, kFileVersion);
  pbf_writer source(event, 10);
  add_text(source, 1, kSourceWriter);
}

void append_scalar_event(std::string& out, const EventStamp& stamp, std::string_view tag, float value) {
  pbf_writer event = begin_event(out, stamp);
  pbf_writer summary(event, 5);
  pbf_writer entry(summary, 1);
  add_text(entry, 1, tag);
  entry.add_float(2, value);
}

void append_summary_event(std::string& out, const EventStamp& stamp, std::string_view summary) {
  begin_event(out, stamp).add_message(5, summary.data(), summary.size());
}

void append_session_log_event(std::string& out, const EventStamp& stamp, SessionStatus status,
                              std::string_view checkpoint_path) {
  pbf_writer event = begin_event(out, stamp);
  pbf_writer session_log(event, 7);
  session_log.add_enum(1, static_cast<std::int32_t>(status));
  add_text(session_log, 2, checkpoint_path);
}

void append_graph_event(std::string& out, const EventStamp& stamp, std::string_view graph_def) {
  begin_event(out, stamp).add_bytes(4, graph_def.data(), graph_def.size());
}

void append_meta_graph_event(std::string& out, const EventStamp& stamp, std::string_view meta_graph_def) {
  begin_event(out, stamp).add_bytes(9, meta_graph_def.data(), meta_graph_def.size());
}

void append_run_metadata_event(std::string& out, const EventStamp& stamp, std::string_view tag,
                               std::string_view run_metadata) {
  pbf_writer event = begin_event(out, stamp);
  pbf_writer tagged(event, 8);
  add_text(tagged, 1, tag);
  add_text(tagged, 2, run_metadata);
}

std::optional<Event> decode_event(std::string_view bytes) {
  try {
    Event event;
    pbf_reader message = fields_of(bytes);
    while (message.next()) {
      decode_event_field(message, event);
    }
    return event;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::vector<SummaryValue>> decode_summary(std::string_view bytes) {
  try {
    return decode_values(fields_of(bytes));
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> strip_summary_metadata(
    std::string_view summary, const std::function<bool(std::string_view tag)>& keep_metadata) {
  try {
    std::string stripped;
    pbf_writer out(stripped);
    pbf_reader message = fields_of(summary);
    while (message.next(1, Type::length_delimited)) {
      const std::string_view bytes = read_view(message);
      const SummaryValue value = decode_value(fields_of(bytes));
      const std::string kept =
          keep_metadata(value.tag) || !value.has_metadata ? std::string(bytes) : without_field(bytes, 9);
      out.add_message(1, kept);
    }
    return stripped;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace fermata::wire
