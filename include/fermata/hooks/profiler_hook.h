// Where the time of a step goes, as a timeline for a browser.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fermata/clock.h"
#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/session_run_hook.h"
#include "fermata/step.h"

namespace fermata {

// Every n steps or seconds a run is traced in full: `<output_dir>/timeline-<step>.json` shows it in
// chrome://tracing or Perfetto, and the event file gets the trace under the tag "step_<step>". The first run
// is never traced. A step that is traced a second time, after a rollback, has the tag "step_<step>_2".
class FERMATA_API ProfilerHook : public SessionRunHook {
 public:
  struct Options {
    // Exactly one of the two.
    std::optional<Step> save_steps;
    std::optional<double> save_secs;
    // Empty: the current folder.
    std::string output_dir;
    // Arrows from where a tensor is made to where it is used.
    bool show_dataflow = true;
    // Tensors as objects, and how much memory each allocator holds.
    bool show_memory = false;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for both, neither, or a negative interval.
  explicit ProfilerHook(Options options);
  ~ProfilerHook() override;

  // Throws: Misuse if the graph has no global step; Error (system) for a folder that cannot be made.
  void begin(Graph& graph) override;
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  // Throws: Error (system) if a file cannot be written.
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  void finished(const StopVerdict& verdict) override;

 private:
  void save(Step step, const std::string& run_metadata);

  Options options_;
  SecondOrStepTimer timer_;
  SessionRunArgs args_;
  std::shared_ptr<EventWriter> writer_;
  bool started_ = false;
  bool requested_ = false;
};

}  // namespace fermata
