// Reads TensorBoard event files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

// One value of a summary.
struct EventValue {
  enum class Kind { kScalar, kHistogram, kImage, kAudio, kText, kTensor, kOther };

  std::string tag;
  Kind kind = Kind::kOther;
  // kScalar.
  std::optional<double> scalar;
  // kText: the texts. kHistogram, kImage: what they are, in few words.
  std::string text;
  // Bytes of the value as it is stored.
  std::uint64_t size_bytes = 0;
};

// "scalar", "histogram" and so on.
[[nodiscard]] FERMATA_API std::string_view event_value_kind_name(EventValue::Kind kind) noexcept;

// One record.
struct LoggedEvent {
  enum class Kind { kVersion, kGraph, kMetaGraph, kSummary, kSession, kRunMetadata, kOther };

  double wall_seconds = 0;
  Step step = 0;
  Kind kind = Kind::kOther;
  std::vector<EventValue> values;  // kSummary
  // kSession: "start", "stop" or "checkpoint"; kVersion: the version; kRunMetadata: the tag.
  std::string text;
  std::string checkpoint_path;  // kSession
};

// The event files of one run, read as TensorBoard reads them: one file, or all of a folder in the order of
// their names. A record SessionLog.START at step s ends what came before it: values of step s and later that
// stand before the mark are not shown, since the run has gone through those steps again. Threads: one at a
// time.
class FERMATA_API EventFiles {
 public:
  struct Options {
    // Goes on behind a damaged record instead of throwing; each is named in the log.
    bool skip_damaged = false;
    // False: shows also what a later start has replaced.
    bool apply_restarts = true;
  };

  // Throws: Error kNotFound if `path` is neither an event file nor a folder with some.
  explicit EventFiles(const std::string& path);
  EventFiles(const std::string& path, Options options);

  [[nodiscard]] const std::vector<std::string>& files() const noexcept { return files_; }

  using Visitor = std::function<void(const LoggedEvent&)>;
  // Calls `visit` for each record, holding one at a time. A record that an interrupted writer has left
  // incomplete at the end of a file is named in the log. Throws: Error kDataLoss that names a damaged record
  // and its place; what `visit` throws.
  void read(const Visitor& visit) const;

 private:
  std::vector<std::string> files_;
  Options options_;
};

// What one event file holds, good and bad.
struct EventFileCheck {
  std::uint64_t records = 0;
  std::uint64_t size_bytes = 0;
  // One sentence for each damaged record, with its place.
  std::vector<std::string> damage;
  // What an interrupted writer has left at its end; no damage. Empty: nothing.
  std::string torn_tail;
};

// Reads all of it. Throws: Error (system).
[[nodiscard]] FERMATA_API EventFileCheck check_event_file(const std::string& path);

}  // namespace fermata
