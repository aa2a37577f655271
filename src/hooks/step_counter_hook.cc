#include "fermata/hooks/step_counter_hook.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/log.h"
#include "hooks/graph_record.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

// A graph that does not count would say so in each of its runs.
constexpr int kMaxWarnings = 5;

}  // namespace

StepCounterHook::StepCounterHook(Options options)
    : options_(std::move(options)),
      timer_(hooks::make_timer("StepCounterHook", {"every_n_steps", options_.every_n_steps},
                               {"every_n_secs", options_.every_n_secs}, options_.clock)) {}

StepCounterHook::~StepCounterHook() = default;

void StepCounterHook::begin(Graph& graph) {
  writer_ = hooks::writer_of(options_.summary_writer, options_.output_dir);
  hooks::require_global_step(graph, name());
  tag_ = graph.global_step_name() + "/sec";
  graph_ = writer_ && !options_.summary_writer ? &graph : nullptr;
}

void StepCounterHook::after_create_session(Session& session, Coordinator* /*coordinator*/) {
  if (std::exchange(graph_, nullptr) != nullptr) {
    hooks::record_graph_once(writer_, session.graph());
  }
  // The time of an outage and the steps of a rollback are no speed.
  timer_.reset();
  has_run_ = false;
}

void StepCounterHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const std::optional<Step> step = values.step();
  if (!step) {
    return;
  }
  // Where nobody told of the session.
  if (const Graph* const graph = std::exchange(graph_, nullptr)) {
    hooks::record_graph_once(writer_, *graph);
  }
  if (timer_.should_trigger_for_step(*step, context)) {
    const SecondOrStepTimer::Elapsed elapsed = timer_.update_last_triggered_step(*step);
    if (elapsed.steps) {
      report(*step, static_cast<double>(*elapsed.steps) / *elapsed.seconds);
    }
  }
  // Not in the first run of a session. The runs since this one was called last have moved the step.
  if (has_run_ && context.step() == step) {
    warn_not_increased(*step);
  }
  has_run_ = true;
  sleep_until(timer_.not_due_before());
}

void StepCounterHook::report(Step step, double steps_per_second) {
  if (writer_) {
    writer_->add_scalar(tag_, steps_per_second, step);
  }
  log(LogLevel::kInfo, fmt::format("{}: {:g}", tag_, steps_per_second));
}

void StepCounterHook::warn_not_increased(Step step) {
  if (warnings_ == kMaxWarnings) {
    return;
  }
  ++warnings_;
  log(LogLevel::kWarning,
      fmt::format("{}: the global step (current value {}, previous value {}) has not been increased; does "
                  "each run fetch the operation that trains, and does that count the step?",
                  name(), step, step));
}

void StepCounterHook::end(Session& /*session*/) {
  if (writer_) {
    writer_->flush();
  }
}

void StepCounterHook::finished(const StopVerdict& verdict) {
  // A clean end has flushed in `end`.
  if (writer_ && verdict.failed()) {
    writer_->flush();
  }
  writer_.reset();
}

}  // namespace fermata
