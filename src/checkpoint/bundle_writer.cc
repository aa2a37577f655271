#include "checkpoint/bundle_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/index_table.h"
#include "checkpoint/string_tensor.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "wire/bundle_proto.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes go to the file as they lie in memory");

wire::TensorSliceProto proto_of(const TensorSlice& slice) {
  wire::TensorSliceProto proto;
  for (const TensorSlice::Extent& extent : slice.extents) {
    proto.extents.push_back({extent.start, extent.length});
  }
  return proto;
}

// How much is written at a time: it is still in the processor's cache when its checksum is taken.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18U;

std::string_view bytes_of(const TensorView& value) {
  return {static_cast<const char*>(value.data()), value.byte_size()};
}

}  // namespace

struct BundleWriter::Impl {
  Impl(std::string the_prefix, FileSystem& the_files)
      : prefix(std::move(the_prefix)),
        files(the_files),
        data_aside(aside_path(data_path(prefix, 0, 1))),
        index_aside(aside_path(index_path(prefix))),
        data_file(files.create(data_aside)),
        data(*data_file) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Code::kInvalidArgument, fmt::format("checkpoint {}: {}", prefix, why));
  }

  void check_value(std::string_view name, const TensorView& value) const {
    if (name.empty()) {
      refuse("a tensor without a name cannot be saved, give it one");
    }
    if (name.front() == '\0') {
      refuse(fmt::format("the name '{}' begins with a zero byte, which is kept for parts", name.substr(1)));
    }
    if (value.dtype() != DType::kString && dtype_size(value.dtype()) == 0) {
      refuse(fmt::format("'{}' is {}, only plain data and strings can be saved", name,
                         dtype_name(value.dtype())));
    }
  }

  // Appends the bytes and says in the entry where they are.
  void append(const TensorView& value, wire::BundleEntryProto& entry) {
    entry.dtype = static_cast<std::int32_t>(value.dtype());
    entry.shape.assign(value.shape().begin(), value.shape().end());
    entry.offset = static_cast<std::int64_t>(data.bytes_written());
    std::uint32_t crc = 0;
    if (value.dtype() == DType::kString) {
      crc = append_strings(value);
    } else {
      crc = append_plain(bytes_of(value));
    }
    entry.size = static_cast<std::int64_t>(data.bytes_written()) - entry.offset;
    entry.crc32c = wire::mask_crc32c(crc);
  }

  std::uint32_t append_plain(std::string_view bytes) {
    std::uint32_t crc = 0;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kPieceBytes, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      crc = wire::extend_crc32c(crc, piece.data(), piece.size());
      data.write(piece);
    }
    return crc;
  }

  std::uint32_t append_strings(const TensorView& value) {
    const StringTensorHead head = encode_string_head(value);
    data.write(head.bytes);
    std::uint32_t crc = head.crc32c;
    for (std::int64_t i = 0; i < value.size(); ++i) {
      const std::string_view text = value.string(i);
      data.write(text);
      crc = wire::extend_crc32c(crc, text.data(), text.size());
    }
    return crc;
  }

  [[nodiscard]] std::map<std::string, std::string> index_records() const {
    std::map<std::string, std::string> records;
    records.emplace("", wire::encode(wire::BundleHeaderProto{.num_shards = 1}));
    for (const auto& [key, entry] : entries) {
      records.emplace(key, wire::encode(entry));
    }
    return records;
  }

  void write_index() {
    const std::unique_ptr<WritableFile> index_file = files.create(index_aside);
    write_index_table(*index_file, index_records());
    index_file->sync();
    index_file->close();
  }

  void remove_aside() noexcept {
    for (const std::string& path : {data_aside, index_aside}) {
      try {
        files.remove(path);
      } catch (...) {
        // Its name says that it was left aside, and a later start removes it.
        continue;
      }
    }
  }

  std::string prefix;
  FileSystem& files;
  std::string data_aside;
  std::string index_aside;
  std::unique_ptr<WritableFile> data_file;
  BufferedWriter data;
  // By key: whole tensors and parts.
  std::map<std::string, wire::BundleEntryProto> entries;
  bool finished = false;
};

BundleWriter::BundleWriter(std::string prefix, FileSystem& files)
    : impl_(std::make_unique<Impl>(std::move(prefix), files)) {}

BundleWriter::~BundleWriter() {
  if (!impl_->finished) {
    impl_->remove_aside();
  }
}

void BundleWriter::add(std::string_view name, const TensorView& value) {
  impl_->check_value(name, value);
  const auto [entry, is_new] = impl_->entries.try_emplace(std::string(name));
  if (!is_new) {
    impl_->refuse(fmt::format("'{}' is there already, each name can be saved once", name));
  }
  impl_->append(value, entry->second);
}

void BundleWriter::add_slice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                             const TensorView& value) {
  impl_->check_value(name, value);
  const std::optional<Shape> shape = slice_shape(slice, full_shape);
  if (!shape || !std::equal(shape->begin(), shape->end(), value.shape().begin(), value.shape().end())) {
    impl_->refuse(fmt::format("a value of shape {} is no part {} of '{}' of shape {}",
                              shape_text(value.shape()), slice_text(slice), name, shape_text(full_shape)));
  }
  const auto [part, is_new_part] = impl_->entries.try_emplace(slice_key(name, slice));
  if (!is_new_part) {
    impl_->refuse(fmt::format("part {} of '{}' is there already", slice_text(slice), name));
  }
  impl_->append(value, part->second);
  const auto [whole, is_new] = impl_->entries.try_emplace(std::string(name));
  if (is_new) {
    whole->second.dtype = static_cast<std::int32_t>(value.dtype());
    whole->second.shape = full_shape;
  } else if (whole->second.slices.empty() || whole->second.shape != full_shape ||
             whole->second.dtype != static_cast<std::int32_t>(value.dtype())) {
    impl_->refuse(fmt::format("'{}' is there already as something else", name));
  }
  whole->second.slices.push_back(proto_of(slice));
}

void BundleWriter::finish() {
  impl_->data.flush();
  impl_->data_file->sync();
  impl_->data_file->close();
  impl_->write_index();
  // The index last: without it the data are no checkpoint.
  impl_->files.rename(impl_->data_aside, data_path(impl_->prefix, 0, 1));
  impl_->files.rename(impl_->index_aside, index_path(impl_->prefix));
  impl_->finished = true;
  impl_->files.sync_directory(folder_of(impl_->prefix));
}

}  // namespace fermata
