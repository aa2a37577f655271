// The kinds of session: a new one is one more entry of make_loop.
#include <chrono>
#include <utility>

#include "conformance/errors.h"
#include "conformance/loop.h"
#include "conformance/recorder.h"
#include "fermata/singular_monitored_session.h"
#include "fermata/training_session.h"

namespace fermata::conformance {
namespace {

std::chrono::nanoseconds seconds(const Json& value) {
  return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(value.get<double>()));
}

// Without pauses: recordings have none.
RecoveryPolicy without_pauses() {
  RecoveryPolicy policy;
  policy.first_pause = policy.max_pause = std::chrono::nanoseconds(0);
  return policy;
}

std::vector<HookPtr> watched(World& world, const std::vector<HookPtr>& hooks) {
  std::vector<HookPtr> all = {std::make_shared<WatchHook>(world, false)};
  all.insert(all.end(), hooks.begin(), hooks.end());
  all.push_back(std::make_shared<WatchHook>(world, true));
  return all;
}

class MonitoredLoop : public Loop {
 public:
  explicit MonitoredLoop(MonitoredSession session) : session_(std::move(session)) {}

  ResultsView run(const SessionRunArgs& args) override { return session_.run(args); }
  bool should_stop() override { return session_.should_stop(); }
  void close() override { session_.close(); }
  std::exception_ptr abort(std::exception_ptr error) override {
    const bool was_open = !session_.verdict();
    const std::exception_ptr first = session_.abort(error).error;
    return was_open && first ? first : error;
  }
  Json run_step_fn(const std::function<Json(StepContext&)>& step_fn) override {
    return session_.run_step_fn(step_fn);
  }
  [[nodiscard]] Graph* graph() override { return session_.graph(); }
  [[nodiscard]] Session* raw_session() override { return session_.raw_session(); }

 private:
  MonitoredSession session_;
};

SessionConfig config_of(const Json& spec) {
  SessionConfig config;
  if (has(spec, "master")) {
    config.target = spec["master"].get<std::string>();
  }
  return config;
}

std::shared_ptr<SessionCreator> chief(Phase& phase, const Json& spec) {
  ChiefSessionCreator::Options options;
  options.scaffold = phase.scaffold;
  options.config = config_of(spec);
  if (has(spec, "checkpoint_dir")) {
    options.checkpoint_dir = phase.world.path(spec["checkpoint_dir"]);
  }
  if (has(spec, "checkpoint_filename")) {
    options.checkpoint_filename_with_path = phase.world.path(spec["checkpoint_filename"]);
  }
  return std::make_shared<ChiefSessionCreator>(phase.graph, std::move(options));
}

std::shared_ptr<SessionCreator> worker(Phase& phase, const Json& spec) {
  WorkerSessionCreator::Options options;
  options.scaffold = phase.scaffold;
  options.config = config_of(spec);
  options.clock = phase.world.clock;
  if (has(spec, "max_wait_secs")) {
    options.max_wait = seconds(spec["max_wait_secs"]);
  }
  return std::make_shared<WorkerSessionCreator>(phase.graph, std::move(options));
}

std::unique_ptr<Loop> singular(Phase& phase, const Json& spec, const std::vector<HookPtr>& hooks) {
  SingularMonitoredSession::Options options;
  options.hooks = watched(phase.world, hooks);
  options.scaffold = phase.scaffold;
  options.config = config_of(spec);
  options.clock = phase.world.clock;
  if (has(spec, "checkpoint_dir")) {
    options.checkpoint_dir = phase.world.path(spec["checkpoint_dir"]);
  }
  if (has(spec, "checkpoint_filename")) {
    options.checkpoint_filename_with_path = phase.world.path(spec["checkpoint_filename"]);
  }
  if (has(spec, "stop_grace_period_secs")) {
    options.stop_grace_period = seconds(spec["stop_grace_period_secs"]);
  }
  return std::make_unique<MonitoredLoop>(SingularMonitoredSession(phase.graph, std::move(options)));
}

std::unique_ptr<Loop> monitored(Phase& phase, const Json& spec, const std::vector<HookPtr>& hooks) {
  MonitoredSession::Options options;
  options.hooks = watched(phase.world, hooks);
  options.recovery = without_pauses();
  options.clock = phase.world.clock;
  if (has(spec, "stop_grace_period_secs")) {
    options.stop_grace_period = seconds(spec["stop_grace_period_secs"]);
  }
  const std::string creator = spec.value("creator", "chief");
  if (creator == "worker") {
    options.session_creator = worker(phase, spec);
  }
  if (creator == "chief") {
    options.session_creator = chief(phase, spec);
  }
  return std::make_unique<MonitoredLoop>(MonitoredSession(phase.graph, std::move(options)));
}

template <typename T>
OrDefault<T> interval_of(const Json& spec, const char* key) {
  if (!has(spec, key)) {
    return {};
  }
  return spec[key].is_null() ? OrDefault<T>(std::nullopt) : OrDefault<T>(spec[key].get<T>());
}

void set_intervals(const Json& spec, TrainingSessionOptions& options) {
  options.save_checkpoint_secs = interval_of<double>(spec, "save_checkpoint_secs");
  options.save_checkpoint_steps = interval_of<Step>(spec, "save_checkpoint_steps");
  options.save_summaries_secs = interval_of<double>(spec, "save_summaries_secs");
  options.save_summaries_steps = interval_of<Step>(spec, "save_summaries_steps");
  if (has(spec, "log_step_count_steps")) {
    options.log_step_count_steps = spec["log_step_count_steps"].is_null()
                                       ? std::nullopt
                                       : std::optional(spec["log_step_count_steps"].get<Step>());
  }
}

std::unique_ptr<Loop> training(Phase& phase, const Json& spec, const std::vector<HookPtr>& hooks) {
  TrainingSessionOptions options;
  options.scaffold = phase.scaffold;
  options.config = config_of(spec);
  options.hooks = watched(phase.world, hooks);
  options.recovery = without_pauses();
  options.clock = phase.world.clock;
  set_intervals(spec, options);
  options.is_chief = spec.value("is_chief", true);
  for (const Json& hook : member(spec, "chief_only_hooks")) {
    options.chief_only_hooks.push_back(make_hook_of(phase, hook));
  }
  if (has(spec, "max_wait_secs")) {
    options.max_wait = seconds(spec["max_wait_secs"]);
  }
  if (has(spec, "stop_grace_period_secs")) {
    options.stop_grace_period = seconds(spec["stop_grace_period_secs"]);
  }
  options.save_graph_def = spec.value("save_graph_def", true);
  if (has(spec, "checkpoint_dir")) {
    options.checkpoint_dir = phase.world.path(spec["checkpoint_dir"]);
  }
  if (has(spec, "summary_dir")) {
    options.summary_dir = phase.world.path(spec["summary_dir"]);
  }
  return std::make_unique<MonitoredLoop>(monitored_training_session(phase.graph, std::move(options)));
}

}  // namespace

std::unique_ptr<Loop> make_loop(Phase& phase, const Json& spec, const std::vector<HookPtr>& hooks) {
  const auto kind = spec["kind"].get<std::string>();
  if (kind == "monitored") {
    return monitored(phase, spec, hooks);
  }
  if (kind == "training_session") {
    return training(phase, spec, hooks);
  }
  if (kind == "singular") {
    return singular(phase, spec, hooks);
  }
  throw NotExpressible("sessions of the kind " + kind);
}

}  // namespace fermata::conformance
