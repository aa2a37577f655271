// Memory for the values of a save that is written beside the steps.
#pragma once

#include <cstddef>
#include <memory>

#include "fermata/tensor.h"

namespace fermata::native {

// Copies of values, in memory that comes back when a copy is gone and is used again by the next save: pages
// that the system has to find and clear cost several times what the copy does. So a session that saves beside
// its steps keeps the memory of its second copy. Threads: one at a time; copies may go on any thread, also
// later than this.
class CaptureMemory {
 public:
  CaptureMemory();
  ~CaptureMemory();
  CaptureMemory(const CaptureMemory&) = delete;
  CaptureMemory& operator=(const CaptureMemory&) = delete;

  // Strings and small values are copied in the usual way.
  [[nodiscard]] Tensor copy(const TensorView& value);

  // Gives back to the system what no copy uses: after a capture, what later ones will not use either.
  void trim();

  // Bytes kept for later.
  [[nodiscard]] std::size_t free_bytes() const;

 private:
  struct Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace fermata::native
