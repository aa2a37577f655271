// The messages in the index of a checkpoint (tensorflow.BundleHeaderProto, BundleEntryProto).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

struct BundleHeaderProto {
  std::int32_t num_shards = 0;
  bool big_endian = false;
  // Readers below this number must not read the bundle.
  std::int32_t min_consumer = 0;
};

struct TensorSliceProto {
  struct Extent {
    std::int64_t start = 0;
    std::int64_t length = -1;  // −1: the whole dimension
  };
  std::vector<Extent> extents;
};

struct BundleEntryProto {
  std::int32_t dtype = 0;
  std::vector<std::int64_t> shape;
  bool unknown_rank = false;
  std::int32_t shard_id = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::uint32_t crc32c = 0;
  std::vector<TensorSliceProto> slices;
};

[[nodiscard]] std::string encode(const BundleHeaderProto& header);
[[nodiscard]] std::string encode(const BundleEntryProto& entry);

// Nothing if the bytes are not such a message. Unknown fields are skipped.
[[nodiscard]] std::optional<BundleHeaderProto> decode_bundle_header(std::string_view bytes);
[[nodiscard]] std::optional<BundleEntryProto> decode_bundle_entry(std::string_view bytes);

}  // namespace fermata::wire
