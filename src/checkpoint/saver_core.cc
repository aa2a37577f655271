#include "checkpoint/saver_core.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "build_config.h"
#include "checkpoint/bundle_files.h"
#include "checkpoint/checkpoint_draft.h"
#include "checkpoint/damage.h"
#include "checkpoint/folder_holder.h"
#include "checkpoint/manifest.h"
#include "checkpoint/reshaped_restore.h"
#include "checkpoint/saver_checks.h"
#include "core/log_made.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "platform/unix_time.h"

namespace fermata {
namespace {

std::optional<double> value_of(FileSystem& files, const std::string& prefix) {
  const FoundManifest found = find_manifest(files, prefix);
  return found.manifest ? found.manifest->value : std::nullopt;
}

void log_unsaved(const std::exception_ptr& error) noexcept {
  log_made(LogLevel::kError, [&] { return "a checkpoint was not saved: " + describe(error); });
}

std::shared_ptr<Clock> clock_of(const Saver::Options& options) {
  return options.clock ? options.clock : Clock::system();
}

}  // namespace

struct SaverCore::UnderWay {
  CheckpointWrite work;
  WriteResult result;
};

SaverCore::SaverCore(Saver::Options options, FileSystem& files)
    : options_(saver::checked(std::move(options))),
      files_(files),
      clock_(clock_of(options_)),
      retention_(
          {options_.max_to_keep, options_.keep_checkpoint_every_n_hours, options_.keep_best, options_.best},
          now_seconds()) {}

SaverCore::SaverCore(SaverDef def, Saver::Options options, FileSystem& files)
    : SaverCore(std::move(options), files) {
  def_ = std::move(def);
  if (options_.var_list) {
    saver::refuse(
        "Saver: a var_list was given beside a definition, which says itself what is saved; give one of the "
        "two");
  }
  if (!options_.defer_build) {
    build();
  }
}

SaverCore::SaverCore(Graph& graph, Saver::Options options, FileSystem& files)
    : SaverCore(std::move(options), files) {
  graph_ = &graph;
  if (!options_.defer_build) {
    build();
  } else if (options_.var_list && !options_.var_list->empty()) {
    saver::refuse(
        "Saver: a saver that is built later takes the variables that are there then, but a var_list was "
        "given; leave one of defer_build and var_list out");
  }
}

void SaverCore::build() {
  if (built_) {
    return;
  }
  if (graph_ != nullptr) {
    std::optional<SaverDef> def = saver::define(*graph_, options_);
    empty_ = !def;
    def_ = std::move(def).value_or(SaverDef());
  }
  built_ = true;
  retention_.begin_periods(now_seconds());
}

void SaverCore::require_built(const std::string& what) const {
  if (!built_) {
    throw Misuse(
        fmt::format("{}: the saver is not built yet; call build() first, or leave defer_build out", what));
  }
}

SaverCore::~SaverCore() {
  if (!thread_.wait(options_.close_timeout)) {
    log_made(LogLevel::kError, [this] {
      return fmt::format(
          "{}: the checkpoint is still being written after {} s and is left alone; the one before it is "
          "the newest",
          under_way_->work.prefix,
          std::chrono::duration_cast<std::chrono::seconds>(options_.close_timeout).count());
    });
    thread_.abandon();
    return;
  }
  if (under_way_ && under_way_->result.error) {
    log_unsaved(under_way_->result.error);
  }
  for (const std::exception_ptr& error : errors_) {
    log_unsaved(error);
  }
}

double SaverCore::now_seconds() const { return unix_seconds(clock_->wall_now()); }

std::string SaverCore::numbered(const std::string& prefix, std::optional<Step> step) const {
  if (!step) {
    return prefix;
  }
  if (*step < 0) {
    saver::refuse(fmt::format("Saver: the step of {} must be 0 or more, found {}", prefix, *step));
  }
  return options_.pad_step_number ? fmt::format("{}-{:08}", prefix, *step)
                                  : fmt::format("{}-{}", prefix, *step);
}

const std::string& SaverCore::latest_filename(const SaveOptions& options) const {
  return options.latest_filename ? *options.latest_filename : options_.latest_filename;
}

void SaverCore::check_names(const std::string& prefix, bool has_step, const SaveOptions& options) const {
  saver::check_names(prefix, latest_filename(options), options.meta_graph_suffix, !has_step && !def_.sharded);
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

bool SaverCore::make_room(const std::string& prefix) {
  if (!thread_.busy()) {
    collect();
    return true;
  }
  if (options_.when_busy == WhenBusy::kSkip) {
    log(LogLevel::kInfo,
        fmt::format("{}: not saved, since {} is still being written", prefix, under_way_->work.prefix));
    return false;
  }
  if (!wait(options_.close_timeout)) {
    throw Error(Code::kDeadlineExceeded,
                fmt::format("{}: not saved, since {} is still being written after {} s; look at the disk",
                            prefix, under_way_->work.prefix,
                            std::chrono::duration_cast<std::chrono::seconds>(options_.close_timeout).count()),
                ErrorSource::kSystem);
  }
  return true;
}

std::optional<VariableCapture> SaverCore::capture(Session& session) {
  if (options_.mode == SaveMode::kGraph) {
    return std::nullopt;
  }
  VariableCapture captured = session.capture_variables(def_, options_.capture_limit_bytes);
  if (captured.unavailable.empty()) {
    return captured;
  }
  if (!told_why_not_captured_) {
    told_why_not_captured_ = true;
    log(LogLevel::kWarning,
        fmt::format("checkpoints are written by the graph's own saver while the loop waits: {}",
                    captured.unavailable));
  }
  return std::nullopt;
}

CheckpointWrite SaverCore::prepare(Session& session, const std::string& prefix, std::optional<Step> step,
                                   const SaveOptions& options) {
  Manifest manifest{step, now_seconds(), build_config::kVersion, {}, session.run_state(), std::nullopt};
  if (options_.value) {
    manifest.value = options_.value();
    if (manifest.value && std::isnan(*manifest.value)) {
      manifest.value.reset();
    }
  }
  Retention retention = retention_;
  std::optional<std::string> obsolete =
      options.write_state ? retention.add(prefix, now_seconds(), manifest.value) : std::nullopt;
  return {&files_,
          prefix,
          std::move(manifest),
          options.write_meta_graph ? session.graph().meta_graph_def() : "",
          nullptr,
          latest_filename(options),
          options.meta_graph_suffix,
          options_.save_relative_paths,
          options.write_state,
          std::move(retention),
          std::move(obsolete)};
}

void SaverCore::write_now(const CheckpointWrite& work) {
  // Before the save, so that nothing can come between it and the list that knows of it.
  Retention retention = work.retention;
  const WriteResult result = write_checkpoint(work);
  if (result.committed) {
    retention_ = std::move(retention);
  }
  if (result.error) {
    std::rethrow_exception(result.error);
  }
  saved_.push_back({work.prefix, work.manifest.step});
}

void SaverCore::write_beside(CheckpointWrite work) {
  const auto under_way = std::make_shared<UnderWay>(UnderWay{std::move(work), {}});
  thread_.start([under_way] {
    under_way->result = write_checkpoint(under_way->work);
    under_way->work.write_values = nullptr;
  });
  // Only now: where no thread can be had, nothing is under way.
  under_way_ = under_way;
}

void SaverCore::collect() {
  if (!under_way_ || thread_.busy()) {
    return;
  }
  UnderWay& ended = *under_way_;
  if (ended.result.error) {
    errors_.push_back(ended.result.error);
  } else {
    saved_.push_back({ended.work.prefix, ended.work.manifest.step});
  }
  if (ended.result.committed) {
    retention_ = std::move(ended.work.retention);
  }
  // Last: what is not told for want of memory is told the next time.
  under_way_ = nullptr;
}

bool SaverCore::wait(std::chrono::milliseconds timeout) {
  const bool ended = thread_.wait(timeout);
  collect();
  return ended;
}

std::vector<Saver::Saved> SaverCore::take_saved() {
  collect();
  if (!errors_.empty()) {
    const std::exception_ptr first = errors_.front();
    errors_.pop_front();
    std::rethrow_exception(first);
  }
  return std::exchange(saved_, {});
}

void SaverCore::write_definition_only(Session& session, const std::string& prefix,
                                      const SaveOptions& options) {
  const std::string definition = options.write_meta_graph ? session.graph().meta_graph_def() : "";
  if (!definition.empty()) {
    make_checkpoint_folder(files_, folder_of(prefix));
    replace_file(files_, meta_path(prefix, options.meta_graph_suffix), definition);
  }
}

std::string SaverCore::save(Session& session, const std::string& prefix, std::optional<Step> step,
                            const SaveOptions& options) {
  require_built(prefix);
  std::string path = numbered(prefix, step);
  check_names(path, step.has_value(), options);
  if (empty_) {
    write_definition_only(session, path, options);
    return {};
  }
  if (!make_room(path)) {
    return {};
  }
  make_checkpoint_folder(files_, folder_of(path));
  tidy_up(folder_of(path));
  CheckpointWrite work = prepare(session, path, step, options);
  if (std::optional<VariableCapture> captured = capture(session)) {
    work.write_values = [&files = files_, values = std::make_shared<VariableCapture>(std::move(*captured))](
                            const std::string& to) { write_capture(files, *values, to); };
  } else {
    work.write_values = [&](const std::string& to) { session.save_variables(def_, to); };
    write_now(work);
    return path;
  }
  if (options_.mode == SaveMode::kAsync) {
    write_beside(std::move(work));
  } else {
    write_now(work);
  }
  return path;
}

void SaverCore::restore(Session& session, const std::string& prefix) {
  if (empty_) {
    return;
  }
  if (prefix.empty() || !files_.info(index_path(prefix))) {
    saver::refuse(fmt::format("'{}' is no checkpoint: there is no {}; give the path without its ending",
                              prefix, index_path(prefix)));
  }
  require_built(prefix);
  log(LogLevel::kInfo, fmt::format("Restoring parameters from {}", prefix));
  // All of it before the first variable changes.
  check_checkpoint(files_, prefix, options_.verify_checksums);
  const FoundManifest found = find_manifest(files_, prefix);
  if (!found.fault.empty()) {
    log(LogLevel::kWarning, found.fault + "; the state of the run in it is not used");
  }
  std::optional<ChecksumsCompared> compared;
  if (options_.verify_checksums) {
    compared.emplace(prefix);
  }
  if (!options_.reshape || !restore_reshaped(files_, session, def_, options_.var_list, prefix)) {
    session.restore_variables(def_, prefix);
  }
  if (found.manifest) {
    session.load_state(found.manifest->state.engine);
  }
  session.set_restored_from(prefix);
}

void SaverCore::recover_last_checkpoints(const std::vector<std::string>& prefixes) {
  std::vector<Retention::Listed> listed;
  for (const std::string& prefix : prefixes) {
    if (const std::optional<FileInfo> index = files_.info(index_path(prefix))) {
      listed.push_back({prefix, unix_seconds(index->modified),
                        options_.keep_best > 0 ? value_of(files_, prefix) : std::nullopt});
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
