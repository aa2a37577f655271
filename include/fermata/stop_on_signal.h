// SIGINT and SIGTERM as a wish to stop.
#pragma once

#include <memory>
#include <optional>

#include "fermata/export.h"

namespace fermata {

// While an object lives, the first SIGINT or SIGTERM is noted and the second one ends the process at once
// with 128 + its number. The destructor puts the earlier handlers back. At most one object lives at a time.
// Throws: Misuse from the constructor if there is another one.
class FERMATA_API StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // The signal that came; 0 for none. Costs one atomic load. Threads: any.
  [[nodiscard]] static int received() noexcept;
};

}  // namespace fermata
