// Fetches all that a saver saves, in one run between two steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/tensorflow_graph/engine_plan.h"
#include "engines/tensorflow_graph/save_plan.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// Threads: one at a time. What run() returns may be used and let go of on any thread, also after this is
// gone.
class Capture {
 public:
  // `entries` as find_saved_entries found them; if there are none, run() says so. Throws: Error (engine).
  Capture(const std::shared_ptr<SessionCore>& session, std::vector<SavedEntry> entries);

  // Values of resource variables are not copied: the next step that writes one gives it new memory.
  // Throws: Error (engine).
  [[nodiscard]] VariableCapture run(std::uint64_t most_bytes);

 private:
  std::vector<SavedEntry> entries_;
  // For each entry its place among the fetches: a value that is saved twice is fetched once.
  std::vector<std::size_t> places_;
  std::shared_ptr<EnginePlan> plan_;
};

}  // namespace fermata::tensorflow
