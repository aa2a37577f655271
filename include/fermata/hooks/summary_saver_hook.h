// The graph's own summaries, to the event file every n steps or seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fermata/event_writer.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/scaffold.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Contract SUM. Summaries are computed only in the runs that are due. The first run is always due.
class FERMATA_API SummarySaverHook : public SessionRunHook {
 public:
  struct Options {
    // Exactly one of the two.
    std::optional<Step> save_steps;
    std::optional<double> save_secs;
    // At least one of the two.
    std::string output_dir;
    std::shared_ptr<EventWriter> summary_writer;
    // Exactly one of the two: string tensors with serialized Summary messages, or a scaffold that has one.
    std::vector<Fetch> summary_op;
    std::shared_ptr<Scaffold> scaffold;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument.
  explicit SummarySaverHook(Options options);
  ~SummarySaverHook() override;

  void begin(Graph& graph) override;
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  Options options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<EventWriter> writer_;
  SessionRunArgs args_;
  bool requested_ = false;
  bool started_ = false;
  // What the step is expected to grow by, from the run before: the question is asked before the run.
  Step increment_ = 1;
};

}  // namespace fermata
