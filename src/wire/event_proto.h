// The messages in an event file (tensorflow.Event and what it holds).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

// What a run says about itself between the values; the numbers are those of SessionLog.SessionStatus.
enum class SessionStatus { kUnspecified = 0, kStart = 1, kStop = 2, kCheckpoint = 3 };

// --- writing: appends one whole Event to `out` -------------------------------------------------------------

// When and at which step; without a step the field is left out, as step 0 is.
struct EventStamp {
  double wall_seconds = 0;
  std::optional<std::int64_t> step;
};

void append_version_event(std::string& out, double wall_seconds);
void append_scalar_event(std::string& out, const EventStamp& stamp, std::string_view tag, float value);
void append_summary_event(std::string& out, const EventStamp& stamp, std::string_view summary);
void append_session_log_event(std::string& out, const EventStamp& stamp, SessionStatus status,
                              std::string_view checkpoint_path = {});
void append_graph_event(std::string& out, const EventStamp& stamp, std::string_view graph_def);
void append_meta_graph_event(std::string& out, const EventStamp& stamp, std::string_view meta_graph_def);
void append_run_metadata_event(std::string& out, const EventStamp& stamp, std::string_view tag,
                               std::string_view run_metadata);

// --- reading -----------------------------------------------------------------------------------------------

// One value of a summary. `data` is the field that carries it, still serialized for all but simple_value.
struct SummaryValue {
  enum class Kind { kNone, kSimple, kImage, kHistogram, kAudio, kTensor, kOther };

  std::string tag;
  Kind kind = Kind::kNone;
  float simple_value = 0;
  std::string data;
  bool has_metadata = false;
  std::string plugin_name;
};

struct Event {
  enum class Kind {
    kEmpty,
    kVersion,
    kGraph,
    kMetaGraph,
    kSummary,
    kSessionLog,
    kRunMetadata,
    kLogMessage,
  };

  double wall_seconds = 0;
  std::int64_t step = 0;
  Kind kind = Kind::kEmpty;
  // kVersion: "brain.Event:2"; kGraph, kMetaGraph, kRunMetadata, kSummary: the serialized message.
  std::string content;
  std::string writer;                // kVersion
  std::string tag;                   // kRunMetadata
  std::vector<SummaryValue> values;  // kSummary
  SessionStatus status = SessionStatus::kUnspecified;
  std::string checkpoint_path;  // kSessionLog
};

// Nothing if the bytes are not an Event. Unknown fields are skipped.
[[nodiscard]] std::optional<Event> decode_event(std::string_view bytes);

// Nothing if the bytes are not a Summary.
[[nodiscard]] std::optional<std::vector<SummaryValue>> decode_summary(std::string_view bytes);

// The summary with the metadata left out of each value for which `keep_metadata` answers false; it is asked
// for each value in order. Nothing if the bytes are not a Summary.
[[nodiscard]] std::optional<std::string> strip_summary_metadata(
    std::string_view summary, const std::function<bool(std::string_view tag)>& keep_metadata);

}  // namespace fermata::wire
