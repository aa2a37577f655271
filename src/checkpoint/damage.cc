#include "checkpoint/damage.h"

#include <fmt/format.h>

#include <set>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/manifest.h"
#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/paths.h"

namespace fermata {
namespace {

// The index and the data; a `.meta` is no part of what is restored, and Python writes it anew beside an index
// that stays the same.
bool is_data_file(const ManifestFile& file) { return !file.crc32c.has_value(); }

void check_sizes(FileSystem& files, const Manifest& manifest, const std::string& folder) {
  for (const ManifestFile& file : manifest.files) {
    const std::string path = join_path(folder, file.name);
    const std::optional<FileInfo> info = files.info(path);
    if (is_data_file(file) && info && info->size != file.size_bytes) {
      throw Error(Code::kDataLoss,
                  fmt::format("{}: {} bytes, the manifest says {}; use another checkpoint", path, info->size,
                              file.size_bytes),
                  ErrorSource::kSystem);
    }
  }
}

// Newest first, each once.
std::vector<std::string> candidates(const CheckpointState& state) {
  std::vector<std::string> all = {state.model_checkpoint_path};
  std::set<std::string_view> known = {state.model_checkpoint_path};
  const std::vector<std::string>& listed = state.all_model_checkpoint_paths;
  for (auto path = listed.rbegin(); path != listed.rend(); ++path) {
    if (known.insert(*path).second) {
      all.push_back(*path);
    }
  }
  return all;
}

// Of this thread; lives as long as its ChecksumsCompared.
thread_local const std::string* compared_prefix = nullptr;

}  // namespace

ChecksumsCompared::ChecksumsCompared(const std::string& prefix) noexcept { compared_prefix = &prefix; }

ChecksumsCompared::~ChecksumsCompared() { compared_prefix = nullptr; }

bool ChecksumsCompared::of(const std::string& prefix) noexcept {
  return compared_prefix != nullptr && *compared_prefix == prefix;
}

void check_checkpoint(FileSystem& files, const std::string& prefix, bool verify_checksums) {
  const BundleReader reader = BundleReader::open(prefix, files);
  reader.verify_sizes();
  const FoundManifest found = find_manifest(files, prefix);
  if (found.manifest) {
    check_sizes(files, *found.manifest, folder_of(prefix));
  }
  if (verify_checksums) {
    reader.verify();
  }
}

std::optional<std::string> find_damage(FileSystem& files, const std::string& prefix, bool verify_checksums) {
  try {
    check_checkpoint(files, prefix, verify_checksums);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<std::string> newest_whole_checkpoint(FileSystem& files, const std::string& dir,
                                                   std::string_view latest_filename,
                                                   std::vector<std::string>* damaged, bool verify_checksums) {
  const std::optional<CheckpointState> state = read_state_file(files, dir, latest_filename);
  if (!state) {
    return std::nullopt;
  }
  std::string newest_damage;
  for (const std::string& prefix : candidates(*state)) {
    const std::optional<std::string> damage = find_damage(files, prefix, verify_checksums);
    if (!damage) {
      return prefix;
    }
    if (damaged != nullptr) {
      damaged->push_back(*damage);
    } else {
      log(LogLevel::kWarning, "a damaged checkpoint was passed over: " + *damage);
    }
    newest_damage = newest_damage.empty() ? *damage : newest_damage;
  }
  throw Error(
      Code::kDataLoss,
      fmt::format("{}: none of the listed checkpoints is whole (the newest: {}); restore one from a copy, or "
                  "remove the state file to start anew",
                  join_path(dir, latest_filename), newest_damage),
      ErrorSource::kSystem);
}

}  // namespace fermata
