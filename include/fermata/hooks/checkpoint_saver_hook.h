// Saves checkpoints every n steps or every n seconds, and at the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/scaffold.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Is told about each save. All callbacks do nothing by default (contract LIS).
class FERMATA_API CheckpointSaverListener {
 public:
  virtual ~CheckpointSaverListener();
  virtual void begin();
  virtual void before_save(Session& session, Step step);
  // True asks to end the loop.
  virtual bool after_save(Session& session, Step step);
  virtual void end(Session& session, Step step);
};

// Contract CKPT. Saves when a session is created (not if it was just restored at this very step from this
// folder), at each boundary of its interval that a run crosses, and at a clean end if the step moved since.
class FERMATA_API CheckpointSaverHook : public SessionRunHook {
 public:
  struct Options {
    std::string checkpoint_dir;
    // Exactly one of the two.
    std::optional<double> save_secs;
    std::optional<Step> save_steps;
    // At most one of the two; neither: the graph's default saver.
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
  };

  // Throws: Error kInvalidArgument.
  explicit CheckpointSaverHook(Options options);
  ~CheckpointSaverHook() override;

  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

  // Prefixes written by this hook, oldest first, whether or not they still exist.
  [[nodiscard]] const std::vector<std::string>& saved() const noexcept { return saved_; }

 private:
  bool save(Session& session, Step step);
  [[nodiscard]] Saver& saver(Session& session);

  Options options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<EventWriter> writer_;
  std::vector<std::string> saved_;
};

}  // namespace fermata
