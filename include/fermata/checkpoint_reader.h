// Reads what a checkpoint holds, without an engine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"
#include "fermata/tensor.h"

namespace fermata {

// One tensor of a checkpoint.
struct CheckpointEntry {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// A tensor bundle, written by Fermata or by TensorFlow. A partitioned variable shows as the whole.
// Threads: const functions may be called from any thread.
class FERMATA_API CheckpointReader {
 public:
  // `prefix` is the name without ".index". Throws: Error kNotFound if there is no such checkpoint, kDataLoss
  // if its index is damaged.
  explicit CheckpointReader(const std::string& prefix);
  ~CheckpointReader();
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;

  // Sorted by name.
  [[nodiscard]] const std::vector<CheckpointEntry>& entries() const noexcept;
  // Throws: Error kNotFound for an unknown name or an absent data file, kDataLoss for damaged bytes.
  [[nodiscard]] Tensor read(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
