// The statistics of a run as a timeline in Chrome's trace format.
#pragma once

#include <string>
#include <string_view>

namespace fermata::hooks {

struct TimelineOptions {
  bool show_dataflow = true;
  bool show_memory = false;
};

// JSON from a serialized tensorflow.RunMetadata. For each device there are two processes, one for what it
// computed and one for its tensors; operations that overlap are on lanes of their own. Throws: Error
// kDataLoss for a message that cannot be read.
[[nodiscard]] std::string timeline(std::string_view run_metadata, TimelineOptions options);

}  // namespace fermata::hooks
