// Values computed over other data than that which trains.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/dataset.h"
#include "cli/step_values.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"

namespace fermata::cli {

using EvaluationResult = std::vector<std::pair<std::string, double>>;

// Threads: one at a time.
class Evaluation {
 public:
  struct Options {
    std::vector<NamedOutput> values;
    // Goes through once each time. Absent: one run without rows.
    std::optional<Dataset> data;
    // Fed from the files of `data`, in their order.
    std::vector<Output> inputs;
    std::vector<std::pair<Output, Tensor>> feeds;
  };

  explicit Evaluation(Options options);

  // For each value the mean over all batches, weighted by their rows. Nothing if a signal came meanwhile.
  // Throws: Error for a value that is not one number; what the session throws.
  [[nodiscard]] std::optional<EvaluationResult> run(Session& session);

 private:
  std::vector<NamedOutput> values_;
  std::optional<Dataset> data_;
  SessionRunArgs args_;
  std::vector<FeedSlot> slots_;
};

}  // namespace fermata::cli
