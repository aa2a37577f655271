// Reads TensorBoard's event files.
#pragma once

#include <string>
#include <vector>

#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

// One record of an event file.
struct LoggedEvent {
  enum class Kind { kOther, kVersion, kGraph, kMetaGraph, kSummary, kSessionLog, kRunMetadata };

  // A number of a summary.
  struct Scalar {
    std::string tag;
    double value = 0;
    // Of the summary's plug-in data; empty without.
    std::string plugin;
  };

  Kind kind = Kind::kOther;
  double wall_seconds = 0;
  Step step = 0;
  std::string version;
  // kSummary: its numbers; images, histograms and the like are left out.
  std::vector<Scalar> scalars;
  // kSessionLog: 1 start, 2 stop, 3 checkpoint (SessionLog.SessionStatus).
  int session_status = 0;
  std::string checkpoint_path;
  // kRunMetadata.
  std::string tag;
};

// All whole records of the file, in order; an incomplete one at the end, which a writer at work may leave, is
// left out. Throws: Error (system) if it cannot be read; kDataLoss that names the place of a damaged record.
[[nodiscard]] FERMATA_API std::vector<LoggedEvent> read_event_file(const std::string& path);

}  // namespace fermata
