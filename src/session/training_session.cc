#include "fermata/training_session.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "fermata/error.h"
#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/summary_saver_hook.h"

namespace fermata {
namespace {

constexpr double kDefaultCheckpointSeconds = 600;
constexpr Step kDefaultSummarySteps = 100;

struct Intervals {
  std::optional<Step> steps;
  std::optional<double> seconds;

  // Whether a hook is made for it at all (contract MTS-3).
  [[nodiscard]] bool on() const { return (steps && *steps > 0) || (seconds && *seconds > 0); }
};

// What is wanted; the default only if neither was given (contract MTS-2). Throws: Error kInvalidArgument.
Intervals intervals(std::string_view what, const OrDefault<Step>& steps, const OrDefault<double>& seconds,
                    const Intervals& fallback) {
  if (steps.is_default() && seconds.is_default()) {
    return fallback;
  }
  const Intervals given{steps.value(), seconds.value()};
  if (given.on() && given.steps && given.seconds) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("monitored_training_session: {0}_steps ({1}) and {0}_secs ({2:g}) were both given; "
                    "give one, or turn the other off with std::nullopt",
                    what, *given.steps, *given.seconds));
  }
  return given;
}

// The chief's own hooks in the order of the reference (contract MTS-5).
std::vector<HookPtr> default_hooks(const TrainingSessionOptions& options,
                                   const std::shared_ptr<Scaffold>& scaffold) {
  std::vector<HookPtr> hooks;
  const std::string& summary_dir = options.summary_dir.empty() ? options.checkpoint_dir : options.summary_dir;
  const Step step_count = options.log_step_count_steps.value_or(0);
  if (!summary_dir.empty() && step_count > 0) {
    hooks.push_back(make_hook<StepCounterHook>(
        {.every_n_steps = step_count, .output_dir = summary_dir, .clock = options.clock}));
  }
  const Intervals summaries =
      intervals("save_summaries", options.save_summaries_steps, options.save_summaries_secs,
                {.steps = kDefaultSummarySteps, .seconds = std::nullopt});
  if (!summary_dir.empty() && summaries.on()) {
    hooks.push_back(make_hook<SummarySaverHook>({.save_steps = summaries.steps,
                                                 .save_secs = summaries.seconds,
                                                 .output_dir = summary_dir,
                                                 .scaffold = scaffold,
                                                 .clock = options.clock}));
  }
  const Intervals checkpoints =
      intervals("save_checkpoint", options.save_checkpoint_steps, options.save_checkpoint_secs,
                {.steps = std::nullopt, .seconds = kDefaultCheckpointSeconds});
  if (!options.checkpoint_dir.empty() && checkpoints.on()) {
    hooks.push_back(make_hook<CheckpointSaverHook>({.checkpoint_dir = options.checkpoint_dir,
                                                    .save_secs = checkpoints.seconds,
                                                    .save_steps = checkpoints.steps,
                                                    .scaffold = scaffold,
                                                    .save_graph_def = options.save_graph_def,
                                                    .clock = options.clock}));
  }
  return hooks;
}

std::shared_ptr<SessionCreator> make_creator(Graph& graph, const TrainingSessionOptions& options,
                                             const std::shared_ptr<Scaffold>& scaffold) {
  if (!options.is_chief) {
    return std::make_shared<WorkerSessionCreator>(graph,
                                                  WorkerSessionCreator::Options{.scaffold = scaffold,
                                                                                .config = options.config,
                                                                                .max_wait = options.max_wait,
                                                                                .clock = options.clock});
  }
  return std::make_shared<ChiefSessionCreator>(
      graph, ChiefSessionCreator::Options{.scaffold = scaffold,
                                          .config = options.config,
                                          .checkpoint_dir = options.checkpoint_dir,
                                          .warm_start_from = options.warm_start_from});
}

void append(std::vector<HookPtr>& to, const std::vector<HookPtr>& hooks) {
  to.insert(to.end(), hooks.begin(), hooks.end());
}

}  // namespace

MonitoredSession monitored_training_session(Graph& graph, TrainingSessionOptions options) {
  const auto scaffold = options.scaffold ? options.scaffold : std::make_shared<Scaffold>();
  std::vector<HookPtr> hooks;
  if (options.is_chief) {
    append(hooks, options.chief_only_hooks);
    append(hooks, default_hooks(options, scaffold));
  }
  append(hooks, options.hooks);
  return MonitoredSession(graph, {.session_creator = make_creator(graph, options, scaffold),
                                  .hooks = std::move(hooks),
                                  .announce = std::move(options.announce),
                                  .stop_grace_period = options.stop_grace_period,
                                  .recovery = options.recovery,
                                  .clock = options.clock,
                                  .stop_on_signals = options.stop_on_signals,
                                  .stop = options.stop});
}

}  // namespace fermata
