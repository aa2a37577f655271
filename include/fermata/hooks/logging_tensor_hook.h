// Logs values every n runs, every n seconds or at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Values come from the run itself: they may be from before or after its update. Iterations are runs, not
// steps, counted from begin on; a recovery does not count anew. The clock is asked before a run, so what the
// run takes counts for the next one.
class FERMATA_API LoggingTensorHook : public SessionRunHook {
 public:
  struct Tagged {
    std::string tag;
    Fetch tensor;
  };
  struct Options {
    // Logged in this order. An empty tag means the name of the tensor. A name without ":" is the only output
    // of that operation.
    std::vector<Tagged> tensors;
    // Exactly one of the two, or none with at_end. The first run always logs.
    std::optional<std::int64_t> every_n_iter;
    std::optional<double> every_n_secs;
    // Logs once more at a clean end, by a run of its own without feeds, even if the last run was logged.
    bool at_end = false;
    // Makes the whole line from the values, in the order of `tensors`. Default: "loss = 0.25, accuracy = 0.5
    // (0.100 sec)" with the time since the line before, if there was one.
    std::function<std::string(const std::vector<std::pair<std::string, TensorView>>&)> formatter;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for a combination that is not allowed or an interval ≤ 0.
  explicit LoggingTensorHook(Options options);
  ~LoggingTensorHook() override;

  // Throws: Error kNotFound for an unknown name, kInvalidArgument for an ambiguous one.
  void begin(Graph& graph) override;
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  void write(const ResultsView& results);
  void write(const std::vector<std::pair<std::string, TensorView>>& values);

  Options options_;
  std::optional<SecondOrStepTimer> timer_;
  SessionRunArgs args_;
  std::vector<std::string> tags_;
  std::int64_t iteration_ = 0;
  // The timer need not be asked for earlier ones.
  std::int64_t not_due_before_ = 0;
  bool due_ = false;
};

}  // namespace fermata
