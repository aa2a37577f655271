#include "fermata/training_session.h"

#include <utility>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/summary_saver_hook.h"

namespace fermata {
namespace {

constexpr double kDefaultCheckpointSeconds = 600;
constexpr Step kDefaultSummarySteps = 100;

bool is_on(const Interval& interval) {
  return interval.kind() != Interval::Kind::kOff && interval.value() > 0;
}

Interval or_default(const Interval& given, const Interval& fallback) {
  return given.kind() == Interval::Kind::kDefault ? fallback : given;
}

std::optional<Step> steps_of(const Interval& interval) {
  return interval.kind() == Interval::Kind::kSteps ? std::optional(static_cast<Step>(interval.value()))
                                                   : std::nullopt;
}

std::optional<double> seconds_of(const Interval& interval) {
  return interval.kind() == Interval::Kind::kSeconds ? std::optional(interval.value()) : std::nullopt;
}

// The chief's own hooks in the order of the reference (contract MTS-5).
std::vector<HookPtr> default_hooks(const TrainingSessionOptions& options,
                                   const std::shared_ptr<Scaffold>& scaffold) {
  std::vector<HookPtr> hooks;
  const std::string& summary_dir = options.summary_dir.empty() ? options.checkpoint_dir : options.summary_dir;
  const Interval summaries = or_default(options.save_summaries, Interval::steps(kDefaultSummarySteps));
  const Interval checkpoints =
      or_default(options.save_checkpoint, Interval::seconds(kDefaultCheckpointSeconds));
  if (!summary_dir.empty() && options.log_step_count_steps > 0) {
    hooks.push_back(make_hook<StepCounterHook>(
        {.every_n_steps = options.log_step_count_steps, .output_dir = summary_dir, .clock = options.clock}));
  }
  if (!summary_dir.empty() && is_on(summaries)) {
    hooks.push_back(make_hook<SummarySaverHook>({.save_steps = steps_of(summaries),
                                                 .save_secs = seconds_of(summaries),
                                                 .output_dir = summary_dir,
                                                 .scaffold = scaffold,
                                                 .clock = options.clock}));
  }
  if (!options.checkpoint_dir.empty() && is_on(checkpoints)) {
    hooks.push_back(make_hook<CheckpointSaverHook>({.checkpoint_dir = options.checkpoint_dir,
                                                    .save_secs = seconds_of(checkpoints),
                                                    .save_steps = steps_of(checkpoints),
                                                    .scaffold = scaffold,
                                                    .save_graph_def = options.save_graph_def,
                                                    .clock = options.clock}));
  }
  return hooks;
}

}  // namespace

MonitoredSession monitored_training_session(Graph& graph, TrainingSessionOptions options) {
  const auto scaffold = options.scaffold ? options.scaffold : std::make_shared<Scaffold>();
  std::vector<HookPtr> hooks = default_hooks(options, scaffold);
  hooks.insert(hooks.end(), options.hooks.begin(), options.hooks.end());
  auto creator = std::make_shared<ChiefSessionCreator>(
      graph, ChiefSessionCreator::Options{.scaffold = scaffold,
                                          .config = options.config,
                                          .checkpoint_dir = options.checkpoint_dir,
                                          .warm_start_from = options.warm_start_from});
  return MonitoredSession(graph, {.session_creator = std::move(creator),
                                  .hooks = std::move(hooks),
                                  .announce = std::move(options.announce),
                                  .stop_grace_period = options.stop_grace_period,
                                  .recovery = options.recovery,
                                  .clock = options.clock,
                                  .stop_on_signals = options.stop_on_signals});
}

}  // namespace fermata
