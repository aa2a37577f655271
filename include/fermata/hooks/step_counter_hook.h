// Steps per second, to the log and the event file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Logs "global_step/sec: 12.3". The first run only starts the measurement; a new session starts it anew.
// Warns, at most five times, when the step is the same after two runs.
class FERMATA_API StepCounterHook : public SessionRunHook {
 public:
  struct Options {
    // Exactly one of the two; to use seconds, set every_n_steps to nothing.
    std::optional<Step> every_n_steps = 100;
    std::optional<double> every_n_secs;
    // Where the event file goes, if no writer is given; both empty: only the log.
    std::string output_dir;
    std::shared_ptr<EventWriter> summary_writer;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for both, neither, or a negative interval.
  explicit StepCounterHook(Options options);
  ~StepCounterHook() override;

  // Throws: Misuse if the graph has no global step.
  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  void finished(const StopVerdict& verdict) override;

 private:
  void report(Step step, double steps_per_second);
  void warn_not_increased(Step step);

  Options options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<EventWriter> writer_;
  // Of begin, until it is in the event file.
  const Graph* graph_ = nullptr;
  std::string tag_;
  bool has_run_ = false;
  int warnings_ = 0;
};

}  // namespace fermata
