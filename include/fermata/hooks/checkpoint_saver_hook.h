// Saves checkpoints every n steps or every n seconds, and at the end.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/saver.h"
#include "fermata/session_run_hook.h"

namespace fermata {

class FolderHolder;
class Scaffold;

// Is told about each save, in the order of the list. All callbacks do nothing by default. An exception leaves
// the hook; listeners after it are not told then.
class FERMATA_API CheckpointSaverListener {
 public:
  virtual ~CheckpointSaverListener();
  // In the hook's begin: the graph may be changed.
  virtual void begin();
  virtual void before_save(Session& session, Step step);
  // True asks to end the loop; the other listeners are told all the same.
  virtual bool after_save(Session& session, Step step);
  // Once at a clean end, after the last save, also if there was none to make.
  virtual void end(Session& session, Step step);
};

// What happens after a save that the system refused: a full disk, a folder that cannot be written.
enum class OnSaveFailure {
  kContinue,  // it is said in the log and counted; training goes on, and the next save tries again
  kFail,      // it leaves run as an error
};

// Saves when a session is created (not if it was just restored at this very step from this folder), after
// each run that comes an interval or more past the save before, and at a clean end if the step moved since.
// Without after_create_session (driven by hand) the first run saves. A save that fails is not tried again
// before the next interval. The first one, before any step, and the last one, at the end, must succeed: their
// error is the end of the run. A session that was not restored, although the folder holds a later step, is
// warned about. With a saver in SaveMode::kAsync listeners and the event file are told of a
// save at the first step after it is committed, and so are errors.
// From begin (at the latest from the first save) to finished the process holds checkpoint_dir: a hook of
// another process is refused there. Hooks of one process may hold one folder together.
class FERMATA_API CheckpointSaverHook : public SessionRunHook {
 public:
  struct Options {
    std::string checkpoint_dir;
    // Exactly one of the two.
    std::optional<double> save_secs;
    std::optional<Step> save_steps;
    // At most one of the two; neither: the graph's default saver, which takes over the checkpoints that are
    // listed in checkpoint_dir.
    std::shared_ptr<Saver> saver;
    std::shared_ptr<Scaffold> scaffold;
    std::string checkpoint_basename = "model.ckpt";
    std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
    // Writes `.meta` beside each checkpoint.
    bool save_graph_def = true;
    // Notes each save in the event file of checkpoint_dir.
    bool write_events = true;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
    OnSaveFailure on_failure = OnSaveFailure::kContinue;
    // How long the end of the run waits for a save that is being written (SaveMode::kAsync).
    std::chrono::milliseconds close_timeout = std::chrono::minutes(10);
  };

  // Throws: Error kInvalidArgument for options that do not go together or an empty checkpoint_dir.
  explicit CheckpointSaverHook(Options options);
  ~CheckpointSaverHook() override;

  // Throws: Misuse if the graph has no global step; Error (system) kFailedPrecondition that says which
  // process holds checkpoint_dir.
  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  // No save after a run that failed: see Session::in_doubt.
  void end(Session& session) override;
  void finished(const StopVerdict& verdict) override;

  // Prefixes written by this hook, oldest first, whether or not they still exist.
  [[nodiscard]] const std::vector<std::string>& saved() const noexcept { return saved_; }
  // Saves that failed and were passed over.
  [[nodiscard]] int failed_saves() const noexcept { return failed_saves_; }

 private:
  // These return what was committed, of this save or of the one before.
  [[nodiscard]] std::vector<Saver::Saved> save(Session& session, Step step);
  // Waits for the save under way.
  [[nodiscard]] std::vector<Saver::Saved> finish_saves(Session& session);
  // Passes over what the system refused if the options say so.
  [[nodiscard]] std::vector<Saver::Saved> tolerantly(Step step,
                                                     const std::function<std::vector<Saver::Saved>()>& work);
  [[nodiscard]] std::string path() const;
  void hold_folder();
  void tell_before_save(Session& session, Step step);
  // These return whether a listener asked to stop. The first fails as the run itself if it fails.
  bool save_and_wait(Session& session, Step step);
  void note_event(const std::function<void(EventWriter&)>& note);
  bool tell_saved(Session& session, const std::vector<Saver::Saved>& all);
  bool tell_after_save(Session& session, Step step);
  [[nodiscard]] bool is_on_disk(const Session& session, Step step) const;
  void warn_of_other_run(const Session& session, Step step) const;
  [[nodiscard]] Saver& saver(Session& session);

  Options options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<EventWriter> writer_;
  // Goes after the saver, which may still be writing.
  std::unique_ptr<FolderHolder> holder_;
  std::shared_ptr<Saver> default_saver_;
  std::optional<Step> committed_step_;
  std::vector<std::string> saved_;
  int failed_saves_ = 0;
};

}  // namespace fermata
