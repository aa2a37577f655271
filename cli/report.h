// What happened in a run, for --report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/evaluation.h"
#include "cli/train_options.h"
#include "fermata/stop_verdict.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// Filled while the run goes on, so that a failure leaves what is known by then.
struct Report {
  StopVerdict verdict;
  std::optional<Step> start_step;
  // Runs that trained, in this process.
  std::int64_t steps_run = 0;
  std::string restored_from;
  // Prefixes written, oldest first.
  std::vector<std::string> checkpoints;
  // Saves that failed while training went on.
  int failed_saves = 0;
  std::vector<std::pair<std::string, Tensor>> values;
  std::optional<EvaluationResult> evaluation;
  // Empty before the first step.
  std::string executor;
  std::optional<double> seconds_to_first_step;
  double seconds = 0;
  std::string tensorflow_version;
};

// One JSON object, indented.
[[nodiscard]] std::string report_text(const Report& report, const TrainOptions& options);

}  // namespace fermata::cli
