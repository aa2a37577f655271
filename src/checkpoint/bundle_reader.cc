#include "checkpoint/bundle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_index.h"
#include "checkpoint/string_tensor.h"
#include "core/nearest_names.h"
#include "fermata/error.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

// How much is read at a time: it is still in the processor's cache when its checksum is taken.
constexpr std::size_t kPieceBytes = std::size_t{1} << 17U;

[[noreturn]] void throw_damaged(const std::string& path, const std::string& found) {
  throw Error(Code::kDataLoss, fmt::format("{}: {}; use another checkpoint", path, found),
              ErrorSource::kSystem);
}

}  // namespace

struct BundleReader::Impl {
  Impl(std::string the_prefix, FileSystem& the_files)
      : prefix(std::move(the_prefix)), files(the_files), index(read_bundle_index(files, prefix)) {}

  [[nodiscard]] std::string path_of(std::int32_t shard) const {
    return data_path(prefix, shard, index.num_shards);
  }

  // The file with the data of a shard; the one used last stays open.
  std::shared_ptr<ReadableFile> open_shard(std::int32_t shard) const {
    const std::lock_guard lock(mutex);
    if (open_file == nullptr || open_file_shard != shard) {
      open_file = files.open(path_of(shard));
      open_file_shard = shard;
    }
    return open_file;
  }

  // The file that holds all bytes of this entry, said before memory is set aside for them.
  std::shared_ptr<ReadableFile> open_for(const BundleEntry& entry, std::string_view name) const {
    std::shared_ptr<ReadableFile> file = open_shard(entry.shard);
    check_size(entry, name, file->size());
    return file;
  }

  void check_size(const BundleEntry& entry, std::string_view name, std::uint64_t file_bytes) const {
    if (entry.offset > file_bytes || entry.size_bytes > file_bytes - entry.offset) {
      throw_damaged(path_of(entry.shard), fmt::format("{} bytes, but '{}' should be at byte {} with {} bytes",
                                                      file_bytes, name, entry.offset, entry.size_bytes));
    }
  }

  void read_bytes(const ReadableFile& file, const BundleEntry& entry, std::uint64_t from, void* to,
                  std::size_t size) const {
    if (file.read_at(entry.offset + from, to, size) != size) {
      throw_damaged(path_of(entry.shard), "became shorter while it was read");
    }
  }

  void check_crc(const BundleEntry& entry, std::string_view name, std::uint32_t crc) const {
    if (wire::mask_crc32c(crc) != entry.crc32c) {
      throw_damaged(path_of(entry.shard),
                    fmt::format("the bytes of '{}' do not have the checksum of the index", name));
    }
  }

  [[nodiscard]] Tensor read_whole(const BundleEntry& entry, std::string_view name) const;
  [[nodiscard]] Tensor read_strings(const BundleEntry& entry, std::string_view name) const;
  [[nodiscard]] Tensor read_parts(const BundleEntry& entry) const;
  [[nodiscard]] const BundleEntry* find(std::string_view name) const noexcept;
  [[nodiscard]] const BundleEntry& entry_of(std::string_view name) const;
  void require_plain(const BundleEntry& entry, std::string_view name) const;
  void fill_whole(const BundleEntry& entry, std::string_view name, void* to) const;
  void require_parts(const BundleEntry& entry) const;
  void fill_parts(const BundleEntry& entry, void* to) const;
  [[nodiscard]] DecodedStrings decode_checked(const BundleEntry& entry, std::string_view name) const;
  void verify_entry(const BundleEntry& entry, std::string_view name, std::string& piece) const;
  // What of an entry has bytes of its own, with the name to say.
  using Stored = std::vector<std::pair<const BundleEntry*, std::string>>;
  void add_stored(const BundleEntry& entry, Stored& all) const;
  // Everything, in the order of the files.
  [[nodiscard]] Stored stored() const;
  void verify(Stored all) const;

  std::string prefix;
  FileSystem& files;
  BundleIndex index;
  mutable std::mutex mutex;
  mutable std::shared_ptr<ReadableFile> open_file;
  mutable std::int32_t open_file_shard = 0;
};

DecodedStrings BundleReader::Impl::decode_checked(const BundleEntry& entry, std::string_view name) const {
  const std::shared_ptr<ReadableFile> file = open_for(entry, name);
  std::string bytes(static_cast<std::size_t>(entry.size_bytes), '\0');
  read_bytes(*file, entry, 0, bytes.data(), bytes.size());
  std::optional<DecodedStrings> decoded = decode_strings(bytes, num_elements(entry.shape));
  if (!decoded) {
    throw_damaged(path_of(entry.shard), fmt::format("the bytes of '{}' are no strings of its shape", name));
  }
  check_crc(entry, name, decoded->crc32c);
  return std::move(*decoded);
}

void BundleReader::Impl::require_plain(const BundleEntry& entry, std::string_view name) const {
  if (dtype_size(entry.dtype) == 0) {
    throw Error(Code::kUnimplemented, fmt::format("{}: '{}' is {}, which has no plain data to read",
                                                  index_path(prefix), name, dtype_name(entry.dtype)));
  }
}

void BundleReader::Impl::fill_whole(const BundleEntry& entry, std::string_view name, void* to) const {
  const std::shared_ptr<ReadableFile> file = open_for(entry, name);
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < entry.size_bytes;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, entry.size_bytes - done));
    char* const piece = static_cast<char*>(to) + done;
    read_bytes(*file, entry, done, piece, size);
    crc = wire::extend_crc32c(crc, piece, size);
    done += size;
  }
  check_crc(entry, name, crc);
}

Tensor BundleReader::Impl::read_whole(const BundleEntry& entry, std::string_view name) const {
  if (entry.dtype == DType::kString) {
    return Tensor::strings(entry.shape, decode_checked(entry, name).values);
  }
  require_plain(entry, name);
  // Before memory is set aside for it.
  static_cast<void>(open_for(entry, name));
  return Tensor::build(entry.dtype, entry.shape, [&](void* to) { fill_whole(entry, name, to); });
}

// The parts must fill the tensor, each element once: a gap would be left with whatever was in memory.
void BundleReader::Impl::require_parts(const BundleEntry& entry) const {
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < entry.slices.size(); ++i) {
    covered += num_elements(*slice_shape(entry.slices[i], entry.shape));
    for (std::size_t j = 0; j < i; ++j) {
      if (slices_overlap(entry.slices[i], entry.slices[j], entry.shape)) {
        throw_damaged(index_path(prefix), fmt::format("parts of '{}' overlap", entry.name));
      }
    }
  }
  if (covered != num_elements(entry.shape)) {
    throw_damaged(index_path(prefix), fmt::format("the parts of '{}' hold {} of {} elements", entry.name,
                                                  covered, num_elements(entry.shape)));
  }
  if (dtype_size(entry.dtype) == 0) {
    throw Error(Code::kUnimplemented, fmt::format("{}: '{}' is {} in parts, only plain data was expected",
                                                  index_path(prefix), entry.name, dtype_name(entry.dtype)));
  }
  Stored parts;
  add_stored(entry, parts);
  for (const auto& [part, name] : parts) {
    static_cast<void>(open_for(*part, name));
  }
}

void BundleReader::Impl::fill_parts(const BundleEntry& entry, void* to) const {
  Stored parts;
  add_stored(entry, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tensor part = read_whole(*parts[i].first, parts[i].second);
    copy_slice_into(part.view().data(), entry.slices[i], entry.shape, dtype_size(entry.dtype), to);
  }
}

Tensor BundleReader::Impl::read_parts(const BundleEntry& entry) const {
  require_parts(entry);
  return Tensor::build(entry.dtype, entry.shape, [&](void* to) { fill_parts(entry, to); });
}

void BundleReader::Impl::verify_entry(const BundleEntry& entry, std::string_view name,
                                      std::string& piece) const {
  if (entry.dtype == DType::kString) {
    static_cast<void>(decode_checked(entry, name));
    return;
  }
  const std::shared_ptr<ReadableFile> file = open_for(entry, name);
  if (dtype_size(entry.dtype) == 0) {
    // Its checksum runs over a form that only TensorFlow knows; that its bytes are there is all that can be
    // said.
    return;
  }
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < entry.size_bytes;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), entry.size_bytes - done));
    read_bytes(*file, entry, done, piece.data(), size);
    crc = wire::extend_crc32c(crc, piece.data(), size);
    done += size;
  }
  check_crc(entry, name, crc);
}

void BundleReader::Impl::add_stored(const BundleEntry& entry, Stored& all) const {
  if (entry.slices.empty()) {
    all.emplace_back(&entry, entry.name);
  }
  for (const TensorSlice& slice : entry.slices) {
    all.emplace_back(&index.parts.find(slice_key(entry.name, slice))->second,
                     fmt::format("{} part {}", entry.name, slice_text(slice)));
  }
}

BundleReader::Impl::Stored BundleReader::Impl::stored() const {
  Stored all;
  for (const BundleEntry& entry : index.entries) {
    add_stored(entry, all);
  }
  return all;
}

void BundleReader::Impl::verify(Stored all) const {
  // In the order of the files, which is how a disk reads fastest.
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first->shard, a.first->offset) < std::pair(b.first->shard, b.first->offset);
  });
  std::string piece(kPieceBytes, '\0');
  for (const auto& [entry, name] : all) {
    verify_entry(*entry, name, piece);
  }
}

const BundleEntry* BundleReader::Impl::find(std::string_view name) const noexcept {
  const std::vector<BundleEntry>& all = index.entries;
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const BundleEntry& entry, std::string_view key) { return entry.name < key; });
  return found == all.end() || found->name != name ? nullptr : &*found;
}

const BundleEntry& BundleReader::Impl::entry_of(std::string_view name) const {
  if (const BundleEntry* found = find(name)) {
    return *found;
  }
  std::vector<std::string> names;
  for (const BundleEntry& other : index.entries) {
    names.push_back(other.name);
  }
  throw Error(Code::kNotFound, fmt::format("{}: it has no tensor '{}'{}", index_path(prefix), name,
                                           did_you_mean(name, names)));
}

BundleReader BundleReader::open(const std::string& prefix, FileSystem& files) {
  return BundleReader(std::make_unique<Impl>(prefix, files));
}

BundleReader::BundleReader(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

BundleReader::BundleReader(BundleReader&&) noexcept = default;

BundleReader& BundleReader::operator=(BundleReader&&) noexcept = default;

BundleReader::~BundleReader() = default;

const std::string& BundleReader::prefix() const noexcept { return impl_->prefix; }

std::int32_t BundleReader::num_shards() const noexcept { return impl_->index.num_shards; }

const std::vector<BundleEntry>& BundleReader::entries() const noexcept { return impl_->index.entries; }

const BundleEntry* BundleReader::find(std::string_view name) const noexcept { return impl_->find(name); }

Tensor BundleReader::read(std::string_view name) const {
  const BundleEntry& entry = impl_->entry_of(name);
  return entry.slices.empty() ? impl_->read_whole(entry, name) : impl_->read_parts(entry);
}

void BundleReader::read_into(std::string_view name, void* to) const {
  const BundleEntry& entry = impl_->entry_of(name);
  if (entry.dtype == DType::kString) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: '{}' is strings, plain data was expected", index_path(prefix()), name));
  }
  if (entry.slices.empty()) {
    impl_->require_plain(entry, name);
    impl_->fill_whole(entry, name, to);
  } else {
    impl_->require_parts(entry);
    impl_->fill_parts(entry, to);
  }
}

Tensor BundleReader::read_slice(std::string_view name, const TensorSlice& slice) const {
  const auto part = impl_->index.parts.find(slice_key(name, slice));
  if (part == impl_->index.parts.end()) {
    throw Error(Code::kNotFound,
                fmt::format("{}: it has no part {} of '{}'", index_path(prefix()), slice_text(slice), name));
  }
  return impl_->read_whole(part->second, fmt::format("{} part {}", name, slice_text(slice)));
}

void BundleReader::verify() const {
  impl_->verify(impl_->stored());
  verify_sizes();
}

void BundleReader::verify(const std::vector<std::string>& names) const {
  Impl::Stored all;
  for (const std::string& name : names) {
    impl_->add_stored(impl_->entry_of(name), all);
  }
  impl_->verify(std::move(all));
}

void BundleReader::verify_sizes() const {
  std::vector<std::uint64_t> sizes;
  for (std::int32_t shard = 0; shard < num_shards(); ++shard) {
    const std::string path = impl_->path_of(shard);
    const std::optional<FileInfo> info = impl_->files.info(path);
    if (!info || info->is_directory) {
      throw Error(Code::kNotFound,
                  fmt::format("{}: a data file of the checkpoint was expected, there is none; use "
                              "another checkpoint",
                              path),
                  ErrorSource::kSystem);
    }
    sizes.push_back(info->size);
  }
  for (const auto& [entry, name] : impl_->stored()) {
    impl_->check_size(*entry, name, sizes[static_cast<std::size_t>(entry->shard)]);
  }
}

}  // namespace fermata
