// One call that puts the usual hooks together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/monitored_session.h"
#include "fermata/scaffold.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"
#include "fermata/session_run_hook.h"
#include "fermata/step.h"

namespace fermata {

// An argument that was left to its default, given, or turned off with std::nullopt. A value of 0 turns off
// too.
template <typename T>
class OrDefault {
 public:
  OrDefault() = default;
  OrDefault(std::nullopt_t /*off*/) : given_(true) {}             // NOLINT(google-explicit-constructor)
  OrDefault(T value) : given_(true), value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_default() const noexcept { return !given_; }
  // Nothing if it was left to its default or turned off.
  [[nodiscard]] const std::optional<T>& value() const noexcept { return value_; }

 private:
  bool given_ = false;
  std::optional<T> value_;
};

// The arguments of tf.compat.v1.train.MonitoredTrainingSession by their names (contract MTS-1); `master` is
// `config.target`. The second part is Fermata's own.
struct TrainingSessionOptions {
  SessionConfig config;
  // A worker waits for its chief's variables, at most max_wait, and has the hooks of `hooks` alone: nothing
  // is restored or written, whatever the folders and intervals below say.
  bool is_chief = true;
  // Saves here and restores from here; empty: nothing is saved.
  std::string checkpoint_dir;
  // Null: a default one. Shared by the creator and the hooks.
  std::shared_ptr<Scaffold> scaffold;
  std::vector<HookPtr> hooks;
  // Come before all other hooks; a worker leaves them out.
  std::vector<HookPtr> chief_only_hooks;
  // Default: every 600 s; giving one of the two turns the other off. Both given: kInvalidArgument.
  OrDefault<double> save_checkpoint_secs;
  OrDefault<Step> save_checkpoint_steps;
  // Default: every 100 steps; the same rules.
  OrDefault<Step> save_summaries_steps;
  OrDefault<double> save_summaries_secs;
  // Steps per second to log and event file; absent or 0: off.
  std::optional<Step> log_step_count_steps = 100;
  std::chrono::nanoseconds max_wait = std::chrono::hours(2);
  // Empty: checkpoint_dir.
  std::string summary_dir;
  bool save_graph_def = true;
  std::chrono::nanoseconds stop_grace_period = std::chrono::seconds(120);

  // As in MonitoredSession::Options and ChiefSessionCreator::Options.
  std::vector<const SessionRunArgs*> announce;
  std::string warm_start_from;
  RecoveryPolicy recovery;
  std::shared_ptr<Clock> clock;
  bool stop_on_signals = false;
  std::stop_token stop;
};

// For the chief: chief_only_hooks, StepCounterHook, SummarySaverHook, CheckpointSaverHook and then `hooks`
// (contract MTS-5). Without a folder there are none of the default hooks. Throws: as MonitoredSession; Error
// kInvalidArgument for two intervals of one thing.
[[nodiscard]] FERMATA_API MonitoredSession monitored_training_session(Graph& graph,
                                                                      TrainingSessionOptions options = {});

}  // namespace fermata
