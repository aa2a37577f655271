#include "fermata/checkpoint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/manifest.h"
#include "checkpoint/pins.h"
#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/saver.h"
#include "platform/paths.h"
#include "platform/unix_time.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

constexpr std::string_view kIndexEnding = ".index";

std::vector<CheckpointReader::Entry> entries_of(const BundleReader& bundle) {
  std::vector<CheckpointReader::Entry> all;
  for (const BundleEntry& stored : bundle.entries()) {
    CheckpointReader::Entry& entry = all.emplace_back();
    entry.name = stored.name;
    entry.dtype = stored.dtype;
    entry.shape = stored.shape;
    entry.num_parts = stored.slices.size();
    entry.size_bytes = stored.size_bytes;
    if (stored.slices.empty()) {
      entry.crc32c = wire::unmask_crc32c(stored.crc32c);
    } else {
      entry.size_bytes = static_cast<std::uint64_t>(num_elements(stored.shape)) * dtype_size(stored.dtype);
    }
  }
  return all;
}

// "model.ckpt-5" of "model.ckpt-5.data-00000-of-00001" and its like; nothing for other files.
std::optional<std::string> prefix_of_file(const std::string& name) {
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    if (dot > 0 && parse_bundle_file(name, name.substr(0, dot))) {
      return name.substr(0, dot);
    }
  }
  return std::nullopt;
}

class FolderListing {
 public:
  explicit FolderListing(const std::string& dir) : dir_(dir) {}

  std::vector<CheckpointListing> run() {
    for (const std::string& name : files_.list(dir_)) {
      take_file(name);
    }
    mark_listed();
    std::vector<CheckpointListing> all;
    for (auto& [name, listing] : found_) {
      // Files without an index are no checkpoint.
      if (!listing.prefix.empty()) {
        all.push_back(std::move(listing));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const CheckpointListing& a, const CheckpointListing& b) {
      return std::tuple(a.step.value_or(-1), a.unix_seconds) <
             std::tuple(b.step.value_or(-1), b.unix_seconds);
    });
    return all;
  }

 private:
  void take_file(const std::string& name) {
    const std::optional<std::string> prefix = prefix_of_file(name);
    const std::optional<FileInfo> info = prefix ? files_.info(join_path(dir_, name)) : std::nullopt;
    if (!info || info->is_directory) {
      return;
    }
    CheckpointListing& listing = found_[*prefix];
    listing.size_bytes += info->size;
    if (name.ends_with(kIndexEnding)) {
      listing.prefix = join_path(dir_, *prefix);
      listing.unix_seconds = unix_seconds(info->modified);
      const FoundManifest manifest = find_manifest(files_, listing.prefix);
      listing.step = manifest.manifest ? manifest.manifest->step : step_of_checkpoint(listing.prefix);
      listing.pinned = is_pinned(files_, listing.prefix);
    }
  }

  void mark_listed() {
    const std::optional<CheckpointState> state = read_state_file(files_, dir_, "checkpoint");
    if (!state) {
      return;
    }
    const auto listing_of = [&](const std::string& prefix) {
      const auto found = found_.find(name_of(prefix));
      return found == found_.end() ? nullptr : &found->second;
    };
    for (const std::string& prefix : state->all_model_checkpoint_paths) {
      if (CheckpointListing* listing = listing_of(prefix)) {
        listing->listed = true;
      }
    }
    if (CheckpointListing* latest = listing_of(state->model_checkpoint_path)) {
      latest->listed = true;
      latest->latest = true;
    }
  }

  FileSystem& files_ = FileSystem::system();
  std::string dir_;
  // By the name of the prefix.
  std::map<std::string, CheckpointListing> found_;
};

[[noreturn]] void throw_no_checkpoint(const std::string& path, std::string_view found) {
  throw Error(Code::kNotFound,
              fmt::format("{}: a checkpoint (the path without its ending) or a folder with some "
                          "was expected, found {}",
                          path, found));
}

}  // namespace

struct CheckpointReader::Impl {
  explicit Impl(const std::string& prefix)
      : bundle(BundleReader::open(prefix)), entries(entries_of(bundle)) {}
  BundleReader bundle;
  std::vector<Entry> entries;
};

CheckpointReader::CheckpointReader(const std::string& prefix) : impl_(std::make_unique<Impl>(prefix)) {}

CheckpointReader::~CheckpointReader() = default;

const std::string& CheckpointReader::prefix() const noexcept { return impl_->bundle.prefix(); }

const std::vector<CheckpointReader::Entry>& CheckpointReader::entries() const noexcept {
  return impl_->entries;
}

bool CheckpointReader::has_tensor(std::string_view name) const noexcept {
  return impl_->bundle.find(name) != nullptr;
}

Tensor CheckpointReader::get_tensor(std::string_view name) const { return impl_->bundle.read(name); }

std::vector<CheckpointListing> list_checkpoints(const std::string& dir) { return FolderListing(dir).run(); }

std::string find_checkpoint(const std::string& path) {
  const auto has_index = [](const std::string& prefix) {
    return FileSystem::system().info(prefix + std::string(kIndexEnding)).has_value();
  };
  if (has_index(path)) {
    return path;
  }
  // The whole name of one of its files is meant well, too.
  if (path.ends_with(kIndexEnding) && has_index(path.substr(0, path.size() - kIndexEnding.size()))) {
    return path.substr(0, path.size() - kIndexEnding.size());
  }
  const std::optional<FileInfo> info = FileSystem::system().info(path);
  if (!info) {
    throw_no_checkpoint(path, "nothing");
  }
  if (!info->is_directory) {
    throw_no_checkpoint(path, "another file");
  }
  if (const std::optional<std::string> latest = latest_checkpoint(path)) {
    return *latest;
  }
  const std::vector<CheckpointListing> all = list_checkpoints(path);
  if (all.empty()) {
    throw_no_checkpoint(path, "a folder without any");
  }
  return all.back().prefix;
}

}  // namespace fermata
