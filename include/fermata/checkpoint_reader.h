// Looks into checkpoints without a graph or an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata {

// One checkpoint, a tensor bundle as Fermata and TensorFlow write it. The index is read at once, a tensor
// when it is asked for. Threads: const functions may be called from any thread.
class FERMATA_API CheckpointReader {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kInvalid;
    Shape shape;
    std::uint64_t size_bytes = 0;
    // Of the bytes in the data file; nothing for a tensor that is stored in parts.
    std::optional<std::uint32_t> crc32c;
    // In how many parts it is stored; 0: as a whole.
    std::size_t num_parts = 0;
  };

  // Throws: Error kNotFound if there is no such checkpoint; kDataLoss if its index is damaged; kUnimplemented
  // for one of a big-endian machine or of a later format.
  explicit CheckpointReader(const std::string& prefix);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  [[nodiscard]] const std::string& prefix() const noexcept;
  // Sorted by name.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept;
  [[nodiscard]] bool has_tensor(std::string_view name) const noexcept;
  // Throws: Error kNotFound with the nearest names; kDataLoss for damaged bytes; kUnimplemented for types
  // without plain data.
  [[nodiscard]] Tensor get_tensor(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One checkpoint of a folder.
struct CheckpointListing {
  std::string prefix;
  // From its manifest, else from its name.
  std::optional<Step> step;
  // Of the index, when it was last written.
  double unix_seconds = 0;
  // Of all its files.
  std::uint64_t size_bytes = 0;
  // Whether the state file names it, and as the latest.
  bool listed = false;
  bool latest = false;
  bool pinned = false;
};

// All checkpoints of a folder by their index files, oldest step first. Nothing is opened but the state file
// and manifests. Throws: Error (system), kNotFound if there is no such folder.
[[nodiscard]] FERMATA_API std::vector<CheckpointListing> list_checkpoints(const std::string& dir);

// `path` if it is a checkpoint; of a folder the latest one that its state file names, or the newest by step
// without one. Throws: Error kNotFound that says what was looked for.
[[nodiscard]] FERMATA_API std::string find_checkpoint(const std::string& path);

}  // namespace fermata
