// Reads a tensor bundle, the format of TensorFlow's checkpoints: `<prefix>.index` and
// `<prefix>.data-SSSSS-of-NNNNN`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensor_slice.h"
#include "fermata/tensor.h"
#include "platform/file_system.h"

namespace fermata {

// What the index says about one tensor.
struct BundleEntry {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  std::int32_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  // As stored: masked, of the bytes in the data file (strings: see docs/checkpoint_format.md).
  std::uint32_t crc32c = 0;
  // Of a partitioned tensor: where its parts lie. It has no bytes of its own then.
  std::vector<TensorSlice> slices;
};

// The index is read and checked at once, data files when they are needed. Nothing is written.
// Threads: const functions may be called from any thread.
class BundleReader {
 public:
  // Throws: Error kNotFound if there is no index; kDataLoss if it is torn or damaged; kUnimplemented for a
  // big-endian bundle or one of a later format.
  [[nodiscard]] static BundleReader open(const std::string& prefix, FileSystem& files = FileSystem::system());

  BundleReader(BundleReader&&) noexcept;
  BundleReader& operator=(BundleReader&&) noexcept;
  ~BundleReader();

  [[nodiscard]] const std::string& prefix() const noexcept;
  [[nodiscard]] std::int32_t num_shards() const noexcept;

  // Whole tensors, sorted by name.
  [[nodiscard]] const std::vector<BundleEntry>& entries() const noexcept;
  // Null if there is none of this name. Valid as long as the reader.
  [[nodiscard]] const BundleEntry* find(std::string_view name) const noexcept;

  // Reads one tensor and checks its crc; a partitioned one is put together from its parts.
  // Throws: Error kNotFound for an unknown name or an absent data file; kDataLoss for damaged bytes;
  // kUnimplemented for types without plain data.
  [[nodiscard]] Tensor read(std::string_view name) const;

  // Reads one tensor of plain data to `to`, which has room for it, and checks its crc at the end: after an
  // error some of it is there. Throws: as read; Error kInvalidArgument for strings.
  void read_into(std::string_view name, void* to) const;

  // Reads one part of a tensor that was stored in parts, exactly as it was stored.
  // Throws: as read; Error kNotFound if no such part was stored.
  [[nodiscard]] Tensor read_slice(std::string_view name, const TensorSlice& slice) const;

  // Reads all data once, in pieces, and checks sizes and checksums. Throws: Error kDataLoss or kNotFound that
  // names the file and the tensor.
  void verify() const;
  // Only these. Throws: also Error kNotFound for an unknown name.
  void verify(const std::vector<std::string>& names) const;

  // The same without reading the data: every file is there and long enough.
  void verify_sizes() const;

 private:
  struct Impl;
  explicit BundleReader(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
