#include "fermata/saver.h"

#include <charconv>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/checkpoint_draft.h"
#include "checkpoint/damage.h"
#include "checkpoint/manifest.h"
#include "checkpoint/pins.h"
#include "checkpoint/saver_core.h"
#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_system.h"
#include "platform/paths.h"
#include "platform/unix_time.h"

namespace fermata {
namespace {

Saver::Options options_of(const SaverDef& def) {
  Saver::Options options;
  options.max_to_keep = def.max_to_keep;
  options.keep_checkpoint_every_n_hours = def.keep_checkpoint_every_n_hours;
  return options;
}

// The file by which a checkpoint is known: its index, or the only file of the first format.
std::optional<FileInfo> file_of_checkpoint(const std::string& prefix) {
  for (const std::string& path : {index_path(prefix), prefix}) {
    const std::optional<FileInfo> found = FileSystem::system().info(path);
    if (found && !found->is_directory) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

struct Saver::Impl {
  Impl(SaverDef def, Options options) : core(std::move(def), std::move(options), FileSystem::system()) {}
  Impl(Graph& graph, Options options) : core(graph, std::move(options), FileSystem::system()) {}
  SaverCore core;
};

Saver::Saver(SaverDef def) : Saver(def, options_of(def)) {}

Saver::Saver(SaverDef def, Options options)
    : impl_(std::make_unique<Impl>(std::move(def), std::move(options))) {}

Saver::Saver(Graph& graph, Options options) : impl_(std::make_unique<Impl>(graph, std::move(options))) {}

Saver::~Saver() = default;

void Saver::build() { impl_->core.build(); }

bool Saver::is_built() const noexcept { return impl_->core.is_built(); }

bool Saver::is_empty() const noexcept { return impl_->core.is_empty(); }

const SaverDef& Saver::def() const noexcept { return impl_->core.def(); }

bool Saver::verify_checksums() const noexcept { return impl_->core.verify_checksums(); }

std::string Saver::save(Session& session, const std::string& prefix, std::optional<Step> step,
                        const SaveOptions& options) {
  return impl_->core.save(session, prefix, step, options);
}

std::vector<Saver::Saved> Saver::take_saved() { return impl_->core.take_saved(); }

bool Saver::busy() const noexcept { return impl_->core.busy(); }

bool Saver::wait(std::chrono::milliseconds timeout) { return impl_->core.wait(timeout); }

void Saver::pin(const std::string& prefix) { pin_checkpoint(FileSystem::system(), prefix); }

void Saver::unpin(const std::string& prefix) { unpin_checkpoint(FileSystem::system(), prefix); }

void Saver::restore(Session& session, const std::string& prefix) { impl_->core.restore(session, prefix); }

void Saver::recover_last_checkpoints(const std::vector<std::string>& prefixes) {
  impl_->core.recover_last_checkpoints(prefixes);
}

void Saver::set_last_checkpoints(const std::vector<std::string>& prefixes) {
  impl_->core.set_last_checkpoints(prefixes);
}

std::vector<std::string> Saver::last_checkpoints() const { return impl_->core.last_checkpoints(); }

std::optional<CheckpointState> get_checkpoint_state(const std::string& dir,
                                                    std::string_view latest_filename) {
  return read_state_file(FileSystem::system(), dir, latest_filename);
}

std::optional<std::string> latest_checkpoint(const std::string& dir, std::string_view latest_filename) {
  const std::optional<CheckpointState> state = get_checkpoint_state(dir, latest_filename);
  if (!state) {
    return std::nullopt;
  }
  if (!checkpoint_exists(state->model_checkpoint_path)) {
    log(LogLevel::kError, join_path(dir, latest_filename) + ": there are no files for the checkpoint " +
                              state->model_checkpoint_path + " that it names");
    return std::nullopt;
  }
  return state->model_checkpoint_path;
}

void update_checkpoint_state(const std::string& dir, const CheckpointState& state,
                             const UpdateCheckpointStateOptions& options) {
  const std::string path = join_path(dir, options.latest_filename);
  const std::string& latest = state.model_checkpoint_path;
  if (canonical_path(join_path(is_absolute_path(dir) ? dir : ".", latest)) == canonical_path(path)) {
    throw Misuse("the state file " + path +
                 " cannot name itself as the latest checkpoint; give one of the two "
                 "another name");
  }
  write_state_file(FileSystem::system(), dir, options.latest_filename, state, options.save_relative_paths);
}

bool checkpoint_exists(const std::string& prefix) { return file_of_checkpoint(prefix).has_value(); }

std::vector<double> get_checkpoint_mtimes(const std::vector<std::string>& prefixes) {
  std::vector<double> times;
  for (const std::string& prefix : prefixes) {
    if (const std::optional<FileInfo> file = file_of_checkpoint(prefix)) {
      times.push_back(unix_seconds(file->modified));
    }
  }
  return times;
}

void remove_checkpoint(const std::string& prefix, std::string_view meta_graph_suffix) {
  delete_checkpoint(FileSystem::system(), prefix, meta_graph_suffix);
}

std::optional<CheckpointManifest> read_manifest(const std::string& prefix) {
  FoundManifest found = find_manifest(FileSystem::system(), prefix);
  if (!found.fault.empty()) {
    log(LogLevel::kWarning, found.fault + "; it is not used");
  }
  if (!found.manifest) {
    return std::nullopt;
  }
  Manifest& manifest = *found.manifest;
  return CheckpointManifest{manifest.step, std::move(manifest.state), manifest.unix_seconds,
                            std::move(manifest.fermata_version), manifest.value};
}

std::optional<Step> step_of_checkpoint(std::string_view prefix) {
  const std::string name = name_of(prefix);
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 1 == name.size()) {
    return std::nullopt;
  }
  Step step = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + dash + 1, end, step);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(step) : std::nullopt;
}

std::optional<std::string> find_damage(const std::string& prefix) {
  return find_damage(FileSystem::system(), prefix);
}

std::optional<std::string> newest_whole_checkpoint(const std::string& dir, std::vector<std::string>* damaged,
                                                   bool verify_checksums) {
  return newest_whole_checkpoint(FileSystem::system(), dir, "checkpoint", damaged, verify_checksums);
}

}  // namespace fermata
