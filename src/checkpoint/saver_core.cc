#include "checkpoint/saver_core.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "build_config.h"
#include "checkpoint/bundle_files.h"
#include "checkpoint/checkpoint_draft.h"
#include "checkpoint/damage.h"
#include "checkpoint/manifest.h"
#include "checkpoint/state_file.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "platform/unix_time.h"

namespace fermata {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw Error(Code::kInvalidArgument, text); }

Saver::Options checked(Saver::Options options) {
  if (options.max_to_keep < 0) {
    refuse(fmt::format("Saver: max_to_keep must be 0 or more, found {}", options.max_to_keep));
  }
  if (std::isnan(options.keep_checkpoint_every_n_hours) || options.keep_checkpoint_every_n_hours < 0) {
    refuse(fmt::format("Saver: keep_checkpoint_every_n_hours must be 0 or more, found {}",
                       options.keep_checkpoint_every_n_hours));
  }
  const std::string& name = options.latest_filename;
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    refuse(
        fmt::format("Saver: latest_filename must be the name of a file without a folder, found '{}'", name));
  }
  return options;
}

std::shared_ptr<Clock> clock_of(const Saver::Options& options) {
  return options.clock ? options.clock : Clock::system();
}

}  // namespace

SaverCore::SaverCore(SaverDef def, Saver::Options options, FileSystem& files)
    : def_(std::move(def)),
      options_(checked(std::move(options))),
      files_(files),
      clock_(clock_of(options_)),
      retention_({options_.max_to_keep, options_.keep_checkpoint_every_n_hours}, now_seconds()) {}

double SaverCore::now_seconds() const { return unix_seconds(clock_->wall_now()); }

std::string SaverCore::numbered(const std::string& prefix, std::optional<Step> step) const {
  if (!step) {
    return prefix;
  }
  if (*step < 0) {
    refuse(fmt::format("Saver: the step of {} must be 0 or more, found {}", prefix, *step));
  }
  return options_.pad_step_number ? fmt::format("{}-{:08}", prefix, *step)
                                  : fmt::format("{}-{}", prefix, *step);
}

// No file of the checkpoint may be the state file, and Python takes a checkpoint of its name for it.
void SaverCore::check_names(const std::string& prefix, bool has_step) const {
  const std::string name = name_of(prefix);
  if (name.empty()) {
    refuse(fmt::format("Saver: a name for the checkpoint was expected behind the folder in '{}'", prefix));
  }
  const bool same_name = !has_step && !def_.sharded && name == options_.latest_filename;
  if (same_name || parse_bundle_file(options_.latest_filename, name)) {
    refuse(
        fmt::format("Saver: the checkpoint {} collides with the state file {} beside it; choose another name",
                    prefix, options_.latest_filename));
  }
}

void SaverCore::write_state(const std::string& prefix, const std::vector<std::string>& listed) {
  CheckpointState state;
  state.model_checkpoint_path = prefix;
  state.all_model_checkpoint_paths = listed;
  write_state_file(files_, folder_of(prefix), options_.latest_filename, std::move(state),
                   options_.save_relative_paths);
}

// A file in the place of the folder is a wrong argument.
void SaverCore::make_folder(const std::string& prefix) {
  try {
    create_synced_directories(files_, folder_of(prefix));
  } catch (const Error& error) {
    if (error.code() == Code::kFailedPrecondition) {
      refuse(error.what());
    }
    throw;
  }
}

void SaverCore::tidy_up(const std::string& folder) noexcept {
  try {
    if (tidy_folders_.insert(folder).second) {
      remove_left_drafts(files_, folder);
    }
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, error.what());
  }
}

bool SaverCore::is_named_by_state(const std::string& prefix) const {
  const std::optional<CheckpointState> state =
      read_state_file(files_, folder_of(prefix), options_.latest_filename);
  // The state file has the path in one of several forms; the name is the same in all.
  return state && name_of(state->model_checkpoint_path) == name_of(prefix);
}

void SaverCore::remove(const std::string& prefix) noexcept {
  try {
    delete_checkpoint(files_, prefix);
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, error.what());
  }
}

void SaverCore::write_files(Session& session, const std::string& prefix, std::optional<Step> step,
                            bool write_meta_graph) {
  CheckpointDraft draft(files_, prefix);
  session.save_variables(def_, draft.aside_prefix());
  if (const std::string meta = write_meta_graph ? session.graph().meta_graph_def() : ""; !meta.empty()) {
    draft.write_meta(meta);
  }
  draft.commit({step, now_seconds(), build_config::kVersion, {}, session.run_state()});
}

std::string SaverCore::save(Session& session, const std::string& prefix, std::optional<Step> step,
                            bool write_meta_graph) {
  const std::string path = numbered(prefix, step);
  check_names(path, step.has_value());
  make_folder(path);
  tidy_up(folder_of(path));
  const bool replaces = files_.info(index_path(path)).has_value();
  Retention retention = retention_;
  const std::optional<std::string> obsolete = retention.add(path, now_seconds());
  try {
    write_files(session, path, step, write_meta_graph);
    write_state(path, retention.prefixes());
  } catch (...) {
    if (is_named_by_state(path)) {
      // Only its sync has failed, so this one counts.
      retention_ = std::move(retention);
    } else if (!replaces) {
      // Nobody would ever remove a checkpoint that is not listed.
      remove(path);
    }
    throw;
  }
  retention_ = std::move(retention);
  if (obsolete) {
    remove(*obsolete);
  }
  return path;
}

void SaverCore::restore(Session& session, const std::string& prefix) {
  if (prefix.empty() || !files_.info(index_path(prefix))) {
    refuse(fmt::format("'{}' is no checkpoint: there is no {}; give the path without its ending", prefix,
                       index_path(prefix)));
  }
  log(LogLevel::kInfo, fmt::format("Restoring parameters from {}", prefix));
  // All of it before the first variable changes.
  check_checkpoint(files_, prefix);
  const FoundManifest found = find_manifest(files_, prefix);
  if (!found.fault.empty()) {
    log(LogLevel::kWarning, found.fault + "; the state of the run in it is not used");
  }
  session.restore_variables(def_, prefix);
  if (found.manifest) {
    session.load_state(found.manifest->state.engine);
  }
  session.set_restored_from(prefix);
}

void SaverCore::recover_last_checkpoints(const std::vector<std::string>& prefixes) {
  std::vector<Retention::Listed> listed;
  for (const std::string& prefix : prefixes) {
    if (const std::optional<FileInfo> index = files_.info(index_path(prefix))) {
      listed.push_back({prefix, unix_seconds(index->modified)});
    }
  }
  retention_.recover(std::move(listed));
}

void SaverCore::set_last_checkpoints(const std::vector<std::string>& prefixes) {
  std::vector<Retention::Listed> listed;
  for (const std::string& prefix : prefixes) {
    listed.push_back({prefix, std::numeric_limits<double>::infinity()});
  }
  retention_.recover(std::move(listed));
}

}  // namespace fermata
