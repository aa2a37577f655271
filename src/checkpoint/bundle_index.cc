#include "checkpoint/bundle_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/index_table.h"
#include "fermata/error.h"
#include "wire/bundle_proto.h"

namespace fermata {
namespace {

// The format this reader understands (tensorflow's kTensorBundleVersion).
constexpr std::int32_t kVersion = 1;

TensorSlice slice_of(const wire::TensorSliceProto& proto) {
  TensorSlice slice;
  for (const auto& extent : proto.extents) {
    slice.extents.push_back({extent.start, extent.length < 0 ? TensorSlice::kWholeDimension : extent.length});
  }
  return slice;
}

class IndexReader {
 public:
  IndexReader(FileSystem& files, const std::string& prefix) : files_(files), path_(index_path(prefix)) {}

  BundleIndex run() {
    read_index_table(files_, path_,
                     [this](std::string_view key, std::string_view value) { take_record(key, value); });
    if (index_.num_shards == 0) {
      damaged("found no header");
    }
    check_parts();
    return std::move(index_);
  }

 private:
  [[noreturn]] void damaged(const std::string& found) const {
    throw Error(
        Code::kDataLoss,
        fmt::format("{}: the index of a checkpoint was expected, {}; use another checkpoint", path_, found),
        ErrorSource::kSystem);
  }

  [[noreturn]] void not_understood(const std::string& found) const {
    throw Error(Code::kUnimplemented, fmt::format("{}: {}; write the checkpoint anew", path_, found));
  }

  void take_record(std::string_view key, std::string_view value) {
    if (index_.num_shards == 0) {
      take_header(key, value);
      return;
    }
    if (key <= last_key_) {
      damaged("found keys out of order");
    }
    last_key_ = key;
    // Keys of parts begin with a zero, see slice_key.
    if (key.front() == '\0') {
      index_.parts.emplace(key, make_entry(key, value));
    } else {
      index_.entries.push_back(make_entry(key, value));
    }
  }

  void take_header(std::string_view key, std::string_view value) {
    const std::optional<wire::BundleHeaderProto> header = wire::decode_bundle_header(value);
    if (!key.empty() || !header) {
      damaged("found no header");
    }
    if (header->big_endian) {
      not_understood("the checkpoint was written by a big-endian machine, little-endian was expected");
    }
    if (header->min_consumer > kVersion) {
      not_understood(fmt::format("the checkpoint has format {}, {} or less was expected",
                                 header->min_consumer, kVersion));
    }
    if (header->num_shards <= 0) {
      damaged(fmt::format("found {} data files", header->num_shards));
    }
    index_.num_shards = header->num_shards;
  }

  BundleEntry make_entry(std::string_view key, std::string_view value) const {
    const std::optional<wire::BundleEntryProto> proto = wire::decode_bundle_entry(value);
    if (!proto) {
      damaged(fmt::format("found no entry under '{}'", printable(key)));
    }
    BundleEntry entry;
    entry.name = key;
    entry.dtype = static_cast<DType>(proto->dtype);
    entry.shape = proto->shape;
    entry.shard = proto->shard_id;
    entry.offset = static_cast<std::uint64_t>(proto->offset);
    entry.size_bytes = static_cast<std::uint64_t>(proto->size);
    entry.crc32c = proto->crc32c;
    std::transform(proto->slices.begin(), proto->slices.end(), std::back_inserter(entry.slices), slice_of);
    check_entry(*proto, entry);
    return entry;
  }

  void check_entry(const wire::BundleEntryProto& proto, const BundleEntry& entry) const {
    const std::string name = printable(entry.name);
    if (proto.unknown_rank || proto.offset < 0 || proto.size < 0 || proto.shard_id < 0 ||
        proto.shard_id >= index_.num_shards) {
      damaged(fmt::format("found an impossible entry for '{}'", name));
    }
    const std::uint64_t wanted = plain_bytes(entry);
    if (entry.slices.empty() && dtype_size(entry.dtype) != 0 && wanted != entry.size_bytes) {
      damaged(fmt::format("found {} bytes for '{}', which is {} of shape {}", entry.size_bytes, name,
                          dtype_name(entry.dtype), shape_text(entry.shape)));
    }
  }

  std::uint64_t plain_bytes(const BundleEntry& entry) const {
    std::int64_t bytes = 0;
    try {
      const std::int64_t count = num_elements(entry.shape);
      if (__builtin_mul_overflow(count, static_cast<std::int64_t>(dtype_size(entry.dtype)), &bytes)) {
        damaged(fmt::format("found an impossible shape for '{}'", printable(entry.name)));
      }
    } catch (const Error& error) {
      if (error.code() != Code::kInvalidArgument) {
        throw;
      }
      damaged(fmt::format("found an impossible shape for '{}'", printable(entry.name)));
    }
    return static_cast<std::uint64_t>(bytes);
  }

  void check_parts() const {
    for (const BundleEntry& entry : index_.entries) {
      for (const TensorSlice& slice : entry.slices) {
        const std::optional<Shape> shape = slice_shape(slice, entry.shape);
        const auto part = index_.parts.find(slice_key(entry.name, slice));
        if (!shape || part == index_.parts.end() || part->second.shape != *shape ||
            part->second.dtype != entry.dtype) {
          damaged(fmt::format("found no fitting entry for part {} of '{}'", slice_text(slice), entry.name));
        }
      }
    }
  }

  // A key as it can stand in a sentence.
  static std::string printable(std::string_view key) {
    std::string text;
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      text += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return text;
  }

  FileSystem& files_;
  std::string path_;
  BundleIndex index_;
  std::string last_key_;
};

}  // namespace

BundleIndex read_bundle_index(FileSystem& files, const std::string& prefix) {
  return IndexReader(files, prefix).run();
}

}  // namespace fermata
