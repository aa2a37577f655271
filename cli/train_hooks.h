// The hooks of a training run, and what they write to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/evaluation_hook.h"
#include "cli/input_hook.h"
#include "cli/log_hook.h"
#include "cli/metrics_file.h"
#include "cli/progress_hook.h"
#include "cli/row_input.h"
#include "cli/run_record_hook.h"
#include "cli/screen.h"
#include "cli/train_options.h"
#include "fermata/event_writer.h"
#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/scaffold.h"
#include "fermata/tensorflow.h"

namespace fermata::cli {

// The files of --input and --evaluate-input, opened.
struct TrainFiles {
  explicit TrainFiles(const TrainOptions& options)
      : input(open_files(options.inputs)), evaluation(open_files(options.evaluate_inputs)) {}

  std::vector<NamedFile> input;
  std::vector<NamedFile> evaluation;
};

// Everything given must outlive this. Threads: one at a time.
class TrainHooks {
 public:
  // Looks up all names and checks the files against the graph. Throws: UsageError, Error.
  TrainHooks(const TrainOptions& options, const TrainFiles& files, tensorflow::Model& model,
             std::shared_ptr<Screen> screen);

  // In the order in which they are to be called.
  [[nodiscard]] const std::vector<HookPtr>& all() const noexcept { return all_; }
  // Values that the caller feeds in every step.
  [[nodiscard]] const std::vector<std::pair<Output, Tensor>>& feeds() const noexcept { return feeds_; }
  // All tensors that are fed, by hooks or by the caller.
  [[nodiscard]] std::vector<Output> fed() const;
  // The one that the saver saves through.
  [[nodiscard]] const std::shared_ptr<Scaffold>& scaffold() const noexcept { return scaffold_; }

  // Opens what is written to; to be called once the session is there, before the first step.
  void start(Step start_step);
  // The step that the run will end at, as far as that is known. After start.
  [[nodiscard]] const std::optional<Step>& goal() const noexcept { return goal_; }

  [[nodiscard]] const LogHook& log() const noexcept { return *log_; }
  [[nodiscard]] const RunRecordHook& record() const noexcept { return *record_; }
  // Null where nothing is evaluated or saved.
  [[nodiscard]] const EvaluationHook* evaluation() const noexcept { return evaluation_.get(); }
  [[nodiscard]] const CheckpointSaverHook* saver() const noexcept { return saver_.get(); }

 private:
  [[nodiscard]] Saver::Options saver_options() const;
  void add_input_hook(const std::vector<NamedFile>& files);
  void add_log_hooks();
  void add_evaluation_hook(const std::vector<NamedFile>& files);
  void add_summary_hook();
  void add_saver_hook();
  void add_stop_hooks();
  // Throws: UsageError if nobody knows the value of --keep-best.
  void check_best() const;
  // The value of --keep-best as it is known now.
  [[nodiscard]] std::optional<double> best_value() const;
  void write_values(const StepValues& values);
  void note_event(const std::function<void(EventWriter&)>& note);
  void show_evaluation(Step step, const EvaluationResult& result);

  const TrainOptions& options_;
  tensorflow::Model& model_;
  std::shared_ptr<Screen> screen_;
  std::shared_ptr<Scaffold> scaffold_;
  std::vector<std::pair<Output, Tensor>> feeds_;
  std::vector<Output> input_tensors_;
  std::vector<HookPtr> all_;
  std::shared_ptr<InputHook> input_;
  std::shared_ptr<RunRecordHook> record_;
  std::shared_ptr<LogHook> log_;
  std::shared_ptr<ProgressHook> progress_;
  std::shared_ptr<EvaluationHook> evaluation_;
  std::shared_ptr<CheckpointSaverHook> saver_;
  std::shared_ptr<StopAtStepHook> stop_;
  std::optional<MetricsFile> metrics_;
  std::shared_ptr<EventWriter> events_;
  std::optional<Step> goal_;
};

}  // namespace fermata::cli
