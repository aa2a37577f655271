#include "fermata/hooks/checkpoint_saver_hook.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "checkpoint/folder_holder.h"
#include "fermata/coordinator.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "fermata/saver.h"
#include "fermata/scaffold.h"
#include "hooks/graph_record.h"
#include "hooks/hook_checks.h"
#include "platform/file_system.h"
#include "platform/unix_time.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListenerAsked = "a checkpoint listener asked to stop";

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a.empty() ? "." : a, b.empty() ? "." : b, error) && !error;
}

// A saver made here knows nothing of the checkpoints that earlier processes left, which are to be kept and
// removed together with its own.
std::shared_ptr<Saver> make_saver(Graph& graph, const std::string& checkpoint_dir,
                                  const std::shared_ptr<Clock>& clock, const std::string& hook) {
  const std::optional<SaverDef> def = graph.default_saver();
  if (!def) {
    throw Misuse(fmt::format("{}: the graph has no variables to save; leave the hook out", hook));
  }
  Saver::Options options;
  options.max_to_keep = def->max_to_keep;
  options.keep_checkpoint_every_n_hours = def->keep_checkpoint_every_n_hours;
  options.clock = clock;
  auto saver = std::make_shared<Saver>(*def, std::move(options));
  if (const std::optional<CheckpointState> state = get_checkpoint_state(checkpoint_dir)) {
    saver->recover_last_checkpoints(state->all_model_checkpoint_paths);
  }
  return saver;
}

// A full disk, a lost permission, a disk with faults; also where TensorFlow's own saver met them.
bool is_refusal_of_system(const Error& error) {
  if (error.source() == ErrorSource::kSystem) {
    return true;
  }
  return error.source() == ErrorSource::kEngine &&
         (error.code() == Code::kResourceExhausted || error.code() == Code::kPermissionDenied ||
          error.code() == Code::kDataLoss);
}

}  // namespace

CheckpointSaverListener::~CheckpointSaverListener() = default;
void CheckpointSaverListener::begin() {}
void CheckpointSaverListener::before_save(Session& /*session*/, Step /*step*/) {}
bool CheckpointSaverListener::after_save(Session& /*session*/, Step /*step*/) { return false; }
void CheckpointSaverListener::end(Session& /*session*/, Step /*step*/) {}

CheckpointSaverHook::CheckpointSaverHook(Options options)
    : options_(std::move(options)),
      timer_(hooks::make_timer("CheckpointSaverHook", {"save_steps", options_.save_steps},
                               {"save_secs", options_.save_secs}, options_.clock)) {
  if (options_.saver && options_.scaffold) {
    throw Error(Code::kInvalidArgument,
                "CheckpointSaverHook: at most one of saver and scaffold may be given, but both were");
  }
  if (options_.checkpoint_dir.empty()) {
    throw Error(Code::kInvalidArgument,
                "CheckpointSaverHook: checkpoint_dir is empty; name the folder to save in");
  }
}

CheckpointSaverHook::~CheckpointSaverHook() = default;

void CheckpointSaverHook::begin(Graph& graph) {
  holder_ = nullptr;
  // Before anything is read from the folder or written there. One that is not there yet is made by the first
  // save, which says what is wrong with it.
  if (std::error_code ignored; fs::is_directory(options_.checkpoint_dir, ignored)) {
    hold_folder();
  }
  writer_ = options_.write_events ? shared_event_writer(options_.checkpoint_dir) : nullptr;
  hooks::require_global_step(graph, name());
  timer_.reset();
  committed_step_.reset();
  failed_saves_ = 0;
  default_saver_.reset();
  for (const std::shared_ptr<CheckpointSaverListener>& listener : options_.listeners) {
    listener->begin();
  }
}

void CheckpointSaverHook::after_create_session(Session& session, Coordinator* coordinator) {
  const Step step = session.read_step();
  if (writer_) {
    // The writer's own, and that of the session the checkpoints come from (contract CKPT, EVENT-4).
    hooks::record_graph_once(writer_, session.graph());
    hooks::record_graph(writer_, session.graph());
  }
  warn_of_other_run(session, step);
  if (is_on_disk(session, step)) {
    committed_step_ = step;
  } else if (save_and_wait(session, step) && coordinator != nullptr) {
    coordinator->request_stop(
        StopRequest{.reason = StopReason::kRequested, .by = name(), .message = kListenerAsked});
  }
  timer_.update_last_triggered_step(step);
  sleep_until(timer_.not_due_before());
}

void CheckpointSaverHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!values.step()) {
    return;
  }
  const Step step = *values.step();
  Session& session = context.session();
  // Asked before what is done is taken, so that nothing is left once it says no.
  const bool was_busy = saver(session).busy();
  bool stop = tell_saved(session, tolerantly(step, [&] { return saver(session).take_saved(); }));
  bool saves = false;
  if (timer_.should_trigger_for_step(step, context)) {
    saves = true;
    // Noted before saving: a save that fails is not tried again at each step.
    timer_.update_last_triggered_step(step);
    tell_before_save(session, step);
    stop = tell_saved(session, tolerantly(step, [&] { return save(session, step); })) || stop;
  }
  if (stop) {
    context.request_stop(kListenerAsked);
  }
  // One that is being written is asked for at each step.
  if (was_busy || saves) {
    wake_up();
  } else {
    sleep_until(timer_.not_due_before());
  }
}

void CheckpointSaverHook::end(Session& session) {
  const Step step = session.read_step();
  // One that fails now is made up for by the last one.
  tell_saved(session, tolerantly(step, [&] { return finish_saves(session); }));
  if (session.in_doubt()) {
    log(LogLevel::kWarning,
        fmt::format(
            "{}: no checkpoint is made at step {}, since the last run failed and may have done half of "
            "its update",
            name(), step));
  } else if (committed_step_ != step) {
    save_and_wait(session, step);
  }
  for (const std::shared_ptr<CheckpointSaverListener>& listener : options_.listeners) {
    listener->end(session, step);
  }
  note_event([](EventWriter& writer) { writer.flush(); });
}

void CheckpointSaverHook::finished(const StopVerdict& verdict) {
  // A clean end has flushed in `end`.
  if (writer_ && verdict.failed()) {
    writer_->flush();
  }
  writer_.reset();
  // A save that is still on its way keeps the folder until the hook goes.
  const std::shared_ptr<Saver> shared =
      options_.scaffold ? options_.scaffold->saver() : (options_.saver ? options_.saver : default_saver_);
  if (!shared || !shared->busy()) {
    holder_ = nullptr;
  }
}

void CheckpointSaverHook::hold_folder() {
  const std::shared_ptr<Clock> clock = options_.clock ? options_.clock : Clock::system();
  holder_ = std::make_unique<FolderHolder>(FileSystem::system(), options_.checkpoint_dir,
                                           unix_seconds(clock->wall_now()));
}

// Before the first step and after the last one: whoever trains is told at once what is wrong with the folder.
bool CheckpointSaverHook::save_and_wait(Session& session, Step step) {
  tell_before_save(session, step);
  std::vector<Saver::Saved> saved = save(session, step);
  for (Saver::Saved& later : finish_saves(session)) {
    saved.push_back(std::move(later));
  }
  return tell_saved(session, saved);
}

std::string CheckpointSaverHook::path() const {
  return (fs::path(options_.checkpoint_dir) / options_.checkpoint_basename).string();
}

std::vector<Saver::Saved> CheckpointSaverHook::save(Session& session, Step step) {
  // What was written about the steps so far must not be behind the checkpoint: a run that goes on from it
  // does not write it again.
  note_event([](EventWriter& writer) { writer.flush(); });
  if (!holder_) {
    make_checkpoint_folder(FileSystem::system(), options_.checkpoint_dir);
    hold_folder();
  }
  saver(session).save(session, path(), step, {.write_meta_graph = options_.save_graph_def});
  return saver(session).take_saved();
}

std::vector<Saver::Saved> CheckpointSaverHook::finish_saves(Session& session) {
  if (!saver(session).wait(options_.close_timeout)) {
    throw Error(Code::kDeadlineExceeded,
                fmt::format("{}: a checkpoint in {} is still being written after {} s; look at the disk",
                            name(), options_.checkpoint_dir,
                            std::chrono::duration_cast<std::chrono::seconds>(options_.close_timeout).count()),
                ErrorSource::kSystem);
  }
  return saver(session).take_saved();
}

std::vector<Saver::Saved> CheckpointSaverHook::tolerantly(
    Step step, const std::function<std::vector<Saver::Saved>()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (options_.on_failure == OnSaveFailure::kFail || !is_refusal_of_system(error)) {
      throw;
    }
    ++failed_saves_;
    log(LogLevel::kError,
        fmt::format(
            "{}: a checkpoint was not saved, seen at step {}, failure {} of this run: {}; training goes on, "
            "and the next save tries again",
            name(), step, failed_saves_, error.what()));
    return {};
  }
}

void CheckpointSaverHook::tell_before_save(Session& session, Step step) {
  for (const std::shared_ptr<CheckpointSaverListener>& listener : options_.listeners) {
    listener->before_save(session, step);
  }
}

// A checkpoint is worth more than the note about it.
void CheckpointSaverHook::note_event(const std::function<void(EventWriter&)>& note) {
  if (!writer_) {
    return;
  }
  try {
    note(*writer_);
  } catch (const Error& error) {
    log(LogLevel::kError, fmt::format("{}: {}; saves are no longer noted there", name(), error.what()));
    writer_ = nullptr;
  }
}

bool CheckpointSaverHook::tell_saved(Session& session, const std::vector<Saver::Saved>& all) {
  bool stop = false;
  for (const Saver::Saved& saved : all) {
    // What the same saver saved for somebody else is no business of this hook.
    if (!saved.step || !saved.prefix.starts_with(path() + "-")) {
      continue;
    }
    saved_.push_back(saved.prefix);
    committed_step_ = saved.step;
    log(LogLevel::kInfo, fmt::format("saved checkpoint '{}'", saved.prefix));
    // The path without the step, as TensorBoard is used to.
    note_event([&](EventWriter& writer) { writer.add_session_checkpoint(*saved.step, path()); });
    stop = tell_after_save(session, *saved.step) || stop;
  }
  return stop;
}

bool CheckpointSaverHook::tell_after_save(Session& session, Step step) {
  bool stop = false;
  for (std::size_t i = 0; i < options_.listeners.size(); ++i) {
    if (options_.listeners[i]->after_save(session, step)) {
      log(LogLevel::kInfo, fmt::format("{}: listener {} of {} asked to stop at step {}", name(), i + 1,
                                       options_.listeners.size(), step));
      stop = true;
    }
  }
  return stop;
}

// True if the session's variables were read from a checkpoint of this hook for this very step.
bool CheckpointSaverHook::is_on_disk(const Session& session, Step step) const {
  const fs::path restored = session.restored_from();
  return restored.filename().string().starts_with(options_.checkpoint_basename + "-") &&
         step_of_checkpoint(restored.string()) == step &&
         same_folder(restored.parent_path(), options_.checkpoint_dir);
}

// A loop that saves here but was not told to restore from here starts from the beginning each time.
void CheckpointSaverHook::warn_of_other_run(const Session& session, Step step) const {
  if (!session.restored_from().empty()) {
    return;
  }
  const std::optional<CheckpointState> state = get_checkpoint_state(options_.checkpoint_dir);
  const std::optional<Step> there = state ? step_of_checkpoint(state->model_checkpoint_path) : std::nullopt;
  if (there && *there > step) {
    log(LogLevel::kWarning,
        fmt::format("{}: {} holds a checkpoint of step {}, but this session was not restored from it and "
                    "starts at step {}; give its creator checkpoint_dir to go on from there",
                    name(), options_.checkpoint_dir, *there, step));
  }
}

Saver& CheckpointSaverHook::saver(Session& session) {
  if (options_.saver) {
    return *options_.saver;
  }
  if (options_.scaffold) {
    if (!options_.scaffold->saver()) {
      throw Misuse(
          fmt::format("{}: its scaffold has no saver, since the graph has no variables to save; leave "
                      "the hook out",
                      name()));
    }
    return *options_.scaffold->saver();
  }
  if (!default_saver_) {
    default_saver_ = make_saver(session.graph(), options_.checkpoint_dir, options_.clock, name());
  }
  return *default_saver_;
}

}  // namespace fermata
