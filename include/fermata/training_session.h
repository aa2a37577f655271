// One call that puts the usual hooks together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fermata/export.h"
#include "fermata/monitored_session.h"

namespace fermata {

// An interval that was given, turned off, or left to the default.
class Interval {
 public:
  enum class Kind { kDefault, kOff, kSteps, kSeconds };
  Interval() = default;
  [[nodiscard]] static Interval off() { return Interval(Kind::kOff, 0); }
  [[nodiscard]] static Interval steps(Step steps) {
    return Interval(Kind::kSteps, static_cast<double>(steps));
  }
  [[nodiscard]] static Interval seconds(double seconds) { return Interval(Kind::kSeconds, seconds); }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  Interval(Kind kind, double value) : kind_(kind), value_(value) {}
  Kind kind_ = Kind::kDefault;
  double value_ = 0;
};

struct TrainingSessionOptions {
  SessionConfig config;
  // Saves here and restores from here; empty: nothing is saved.
  std::string checkpoint_dir;
  std::shared_ptr<Scaffold> scaffold;
  std::vector<HookPtr> hooks;
  std::vector<const SessionRunArgs*> announce;
  // Default: every 600 s.
  Interval save_checkpoint;
  // Default: every 100 steps.
  Interval save_summaries;
  // Steps per second to log and event file; 0: off.
  Step log_step_count_steps = 100;
  // Empty: checkpoint_dir.
  std::string summary_dir;
  std::string warm_start_from;
  bool save_graph_def = true;
  std::chrono::nanoseconds stop_grace_period = std::chrono::seconds(120);
  RecoveryPolicy recovery;
  std::shared_ptr<Clock> clock;
  bool stop_on_signals = false;
};

// The chief's session with StepCounterHook, SummarySaverHook, CheckpointSaverHook and then `hooks`, as
// tf.compat.v1.train.MonitoredTrainingSession orders them (contract MTS-5). Throws: as MonitoredSession.
[[nodiscard]] FERMATA_API MonitoredSession monitored_training_session(Graph& graph,
                                                                      TrainingSessionOptions options = {});

}  // namespace fermata
