// The graph's own summaries, to the event file every n steps or seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/session_run_hook.h"

namespace fermata {

class Scaffold;

// Summaries are computed only in the runs that are due: the first one, and those that are expected to reach
// the next boundary of the interval. A run that goes further than expected makes the one after it due. The
// first run also marks a restart in the event file. After a recovery from an earlier step nothing is written
// until the boundary that would have been next, so that each step is in the file once.
class FERMATA_API SummarySaverHook : public SessionRunHook {
 public:
  struct Options {
    // Exactly one of the two.
    std::optional<Step> save_steps;
    std::optional<double> save_secs;
    // Where the events go; the writer counts. Neither: nothing is computed or written.
    std::string output_dir;
    std::shared_ptr<EventWriter> summary_writer;
    // Exactly one of the two: string tensors with serialized Summary messages, or a scaffold that has one.
    std::vector<Fetch> summary_op;
    std::shared_ptr<Scaffold> scaffold;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for options that do not go together.
  explicit SummarySaverHook(Options options);
  ~SummarySaverHook() override;

  // Throws: Misuse if the graph has no global step; Error kNotFound or kInvalidArgument for a summary_op that
  // is not one tensor.
  void begin(Graph& graph) override;
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  void finished(const StopVerdict& verdict) override;

 private:
  void take_from_scaffold() const;
  void write(const ResultsView& results, Step step);

  Options options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<EventWriter> writer_;
  const Graph* graph_ = nullptr;  // of begin
  // A scaffold has its summary only once it is final, and the first to ask then may be `announced`.
  mutable SessionRunArgs args_;
  bool requested_ = false;
  bool started_ = false;
  // What the step is expected to grow by, from the run before: the question is asked before the run.
};

}  // namespace fermata
