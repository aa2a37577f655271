// The options of `fermata train`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/interval.h"
#include "cli/parse.h"
#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/saver.h"
#include "fermata/session.h"
#include "fermata/step.h"

namespace fermata::cli {

enum class OnNan { kShow, kStop, kFail };
enum class ProgressStyle { kAuto, kBar, kLines, kNone };

// NAME=FILE or NAME=VALUE.
struct Assignment {
  std::string name;
  std::string value;
};

struct TrainOptions {
  std::string model;

  // How far. At most one of the first two.
  std::optional<Step> last_step;
  std::optional<Step> num_steps;
  std::optional<std::chrono::nanoseconds> time_limit;

  // Input. Without a batch size the graph's, else one of the program's choice.
  std::vector<Assignment> inputs;
  std::vector<Assignment> feeds;
  std::optional<std::int64_t> batch_size;
  std::optional<std::uint64_t> shuffle_seed;
  std::optional<std::int64_t> epochs;
  bool drop_remainder = false;

  // What is watched. Without names: the loss, if the graph offers one.
  std::vector<std::string> log;
  Step log_every = 100;
  std::string metrics_file;
  OnNan on_nan = OnNan::kShow;

  // What the graph does not say itself.
  std::string train_op;
  std::string global_step;
  std::string signature = "train";
  std::vector<std::string> tags;
  bool count_steps = false;

  // Empty folder: nothing is saved.
  std::string checkpoint_dir;
  Interval save_every = Interval::seconds(600);
  int keep = 5;
  std::optional<BestChoice> keep_best;
  bool verify_checksums = true;
  SaveMode save_mode = SaveMode::kAsync;
  // In bytes. Nothing: as much as it takes.
  std::optional<std::uint64_t> capture_limit;
  OnSaveFailure on_save_failure = OnSaveFailure::kContinue;
  std::string restore_from;
  std::optional<Step> summaries_every;

  std::vector<std::string> evaluate;
  std::vector<Assignment> evaluate_inputs;
  std::vector<Assignment> evaluate_feeds;
  std::optional<Step> evaluate_every;

  // How TensorFlow runs a step. 0 threads: its own choice.
  Executor executor = Executor::kAuto;
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  // Where its libraries are. Empty: searched.
  std::string tensorflow_dir;

  std::string report_file;
  ProgressStyle progress = ProgressStyle::kAuto;
  bool quiet = false;
  bool verbose = false;

  // The options as they were typed, without dashes: "last-step" and its one value, "input" and all of its.
  std::vector<std::pair<std::string, std::vector<std::string>>> given;
};

// Nothing if only help was asked for; it is printed then.
// Throws: UsageError.
[[nodiscard]] std::optional<TrainOptions> parse_train_options(const std::vector<std::string>& args);

}  // namespace fermata::cli
