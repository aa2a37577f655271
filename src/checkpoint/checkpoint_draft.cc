#include "checkpoint/checkpoint_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_reader.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_content.h"
#include "platform/paths.h"

namespace fermata {
namespace {

constexpr const char* kDraftMark = ".";
constexpr int kAttempts = 3;

bool is_data(const std::string& name, const std::string& prefix_name) {
  const std::optional<BundleFile> file = parse_bundle_file(name, prefix_name);
  return file && file->kind == BundleFile::Kind::kData;
}

// Data files that stay from an earlier checkpoint of the same name with another number of shards.
void remove_other_shards(FileSystem& files, const std::string& prefix, std::int32_t num_shards) {
  const std::string folder = folder_of(prefix);
  for (const std::string& name : files.list(folder)) {
    const std::optional<BundleFile> file = parse_bundle_file(name, name_of(prefix));
    if (file && file->kind == BundleFile::Kind::kData && file->num_shards != num_shards) {
      files.remove(join_path(folder, name));
    }
  }
}

// The index last: by it a checkpoint is found.
std::vector<std::string> in_order_of_commit(std::vector<std::string> names) {
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return !name.ends_with(".index"); });
  return names;
}

}  // namespace

CheckpointDraft::CheckpointDraft(FileSystem& files, std::string prefix)
    : files_(files), prefix_(std::move(prefix)) {
  // Said of the folder that the user knows.
  files_.check_writable(folder_of(prefix_));
  for (int attempt = 0; attempt < kAttempts && lock_ == nullptr; ++attempt) {
    remove_folder();
    make_folder();
  }
}

// Another process that tidies up may take a new folder away before it is held. Where the file system knows
// no locks, nobody tidies up.
void CheckpointDraft::make_folder() {
  // Hidden, so that patterns such as "m-7*" do not meet it.
  aside_folder_ = aside_path(join_path(folder_of(prefix_), kDraftMark + name_of(prefix_)));
  aside_prefix_ = join_path(aside_folder_, name_of(prefix_));
  files_.create_directories(aside_folder_);
  lock_ = files_.try_lock(aside_folder_);
  if (!files_.info(aside_folder_)) {
    lock_ = nullptr;
    files_.create_directories(aside_folder_);
  }
}

CheckpointDraft::~CheckpointDraft() { remove_folder(); }

void CheckpointDraft::remove_folder() noexcept {
  if (aside_folder_.empty()) {
    return;
  }
  try {
    files_.remove_tree(aside_folder_);
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, error.what());
  }
}

void CheckpointDraft::write_meta(std::string_view meta_graph_def, std::string_view suffix) {
  const std::string path = meta_path(aside_prefix_, suffix);
  write_synced_file(files_, path, meta_graph_def);
  meta_name_ = name_of(path);
}

// Names of the checkpoint's files in the draft's folder; other things that an engine may leave there are not
// taken.
std::vector<std::string> CheckpointDraft::sync_files() {
  std::vector<std::string> names;
  for (const std::string& name : files_.list(aside_folder_)) {
    if (name == meta_name_ || parse_bundle_file(name, name_of(prefix_))) {
      files_.sync_file(join_path(aside_folder_, name));
      names.push_back(name);
    }
  }
  return names;
}

void CheckpointDraft::put_in_place(const std::vector<std::string>& names) {
  for (const std::string& name : in_order_of_commit(names)) {
    files_.rename(join_path(aside_folder_, name), join_path(folder_of(prefix_), name));
  }
  files_.sync_directory(folder_of(prefix_));
}

void CheckpointDraft::commit(Manifest manifest) {
  const BundleReader bundle = BundleReader::open(aside_prefix_, files_);
  bundle.verify_sizes();
  std::vector<std::string> names = sync_files();
  for (const std::string& name : names) {
    const std::string path = join_path(aside_folder_, name);
    manifest.files.push_back(
        is_data(name, name_of(prefix_))
            ? ManifestFile{name, files_.info(path).value_or(FileInfo()).size, std::nullopt}
            : describe_file(files_, path));
  }
  write_synced_file(files_, manifest_path(aside_prefix_), encode_manifest(manifest));
  names.push_back(name_of(manifest_path(prefix_)));
  const bool replaces = files_.info(index_path(prefix_)).has_value();
  put_in_place(names);
  if (replaces) {
    remove_other_shards(files_, prefix_, bundle.num_shards());
  }
}

void remove_left_drafts(FileSystem& files, const std::string& folder) {
  for (const std::string& name : files.list(folder)) {
    const std::string path = join_path(folder, name);
    if (!name.starts_with(kDraftMark) || !is_aside_name(name)) {
      continue;
    }
    if (const std::unique_ptr<FolderLock> lock = files.try_lock(path)) {
      files.remove_tree(path);
      log(LogLevel::kInfo, fmt::format("{}: removed; an interrupted save had left it", path));
    }
  }
}

void delete_checkpoint(FileSystem& files, const std::string& prefix, std::string_view meta_graph_suffix) {
  std::optional<std::int32_t> num_shards;
  try {
    num_shards = BundleReader::open(prefix, files).num_shards();
  } catch (const Error&) {
    // A damaged index does not say which files there are: the folder does.
    num_shards = std::nullopt;
  }
  files.remove(index_path(prefix));
  if (num_shards) {
    for (std::int32_t shard = 0; shard < *num_shards; ++shard) {
      files.remove(data_path(prefix, shard, *num_shards));
    }
  } else if (files.info(folder_of(prefix))) {
    for (const std::string& name : files.list(folder_of(prefix))) {
      if (is_data(name, name_of(prefix))) {
        files.remove(join_path(folder_of(prefix), name));
      }
    }
  }
  files.remove(meta_path(prefix, meta_graph_suffix));
  files.remove(manifest_path(prefix));
}

}  // namespace fermata
