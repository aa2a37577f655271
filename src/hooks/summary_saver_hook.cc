#include "fermata/hooks/summary_saver_hook.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "fermata/error.h"
#include "fermata/scaffold.h"
#include "hooks/graph_record.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

void require_source(const SummarySaverHook::Options& options) {
  if (options.summary_op.empty() == (options.scaffold == nullptr)) {
    throw Error(Code::kInvalidArgument,
                fmt::format("SummarySaverHook: exactly one of summary_op and scaffold must be given, but {}",
                            options.scaffold ? "both were" : "neither was"));
  }
}

}  // namespace

SummarySaverHook::SummarySaverHook(Options options)
    : options_(std::move(options)),
      timer_(hooks::make_timer("SummarySaverHook", {"save_steps", options_.save_steps},
                               {"save_secs", options_.save_secs}, options_.clock)) {
  require_source(options_);
}

SummarySaverHook::~SummarySaverHook() = default;

void SummarySaverHook::begin(Graph& graph) {
  graph_ = &graph;
  writer_ = hooks::writer_of(options_.summary_writer, options_.output_dir);
  hooks::require_global_step(graph, name());
  std::vector<Fetch> fetches;
  for (const Fetch& summary : options_.summary_op) {
    fetches.emplace_back(hooks::tensor_of(graph, summary, name()));
  }
  args_ = SessionRunArgs(std::move(fetches));
  requested_ = false;
  started_ = false;
}

std::vector<const SessionRunArgs*> SummarySaverHook::announced() const {
  take_from_scaffold();
  return args_.fetches().empty() ? std::vector<const SessionRunArgs*>{}
                                 : std::vector<const SessionRunArgs*>{&args_};
}

void SummarySaverHook::take_from_scaffold() const {
  if (options_.scaffold && args_.fetches().empty() && options_.scaffold->summary_op()) {
    args_ = SessionRunArgs({*options_.scaffold->summary_op()});
  }
}

void SummarySaverHook::after_create_session(Session& session, Coordinator* /*coordinator*/) {
  take_from_scaffold();
  if (writer_ && !options_.summary_writer) {
    hooks::record_graph_once(writer_, session.graph());
  }
  if (!writer_) {
    sleep();
  }
}

const SessionRunArgs* SummarySaverHook::before_run(SessionRunContext& context) {
  // If the run goes further than expected, the boundary it crosses is due at the next run.
  const std::optional<Step> expected = context.expected_step();
  requested_ = writer_ && (!started_ || (expected && timer_.should_trigger_for_step(*expected, context)));
  return requested_ && !args_.fetches().empty() ? &args_ : nullptr;
}

void SummarySaverHook::after_run(SessionRunContext& /*context*/, const SessionRunValues& values) {
  if (!writer_ || !values.step()) {
    return;
  }
  const Step step = *values.step();
  if (!started_) {
    started_ = true;
    if (!options_.summary_writer) {
      hooks::record_graph_once(writer_, *graph_);
    }
    writer_->add_session_start(step);
  }
  if (requested_) {
    // The next call may come without a before_run.
    requested_ = false;
    timer_.update_last_triggered_step(step);
    write(values.results(), step);
  }
  sleep_until(timer_.not_due_before());
}

void SummarySaverHook::write(const ResultsView& results, Step step) {
  for (std::size_t place = 0; place < results.size(); ++place) {
    const TensorView& summaries = results[place];
    for (std::int64_t i = 0; i < summaries.size(); ++i) {
      writer_->add_summary(summaries.string(i), step);
    }
  }
}

void SummarySaverHook::end(Session& /*session*/) {
  if (writer_) {
    writer_->flush();
  }
}

void SummarySaverHook::finished(const StopVerdict& verdict) {
  // A clean end has flushed in `end`.
  if (writer_ && verdict.failed()) {
    writer_->flush();
  }
  writer_.reset();
}

}  // namespace fermata
