#include "fermata/hooks/profiler_hook.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"
#include "hooks/graph_record.h"
#include "hooks/hook_checks.h"
#include "hooks/timeline.h"
#include "platform/file_content.h"
#include "platform/file_system.h"
#include "platform/paths.h"
#include "wire/step_stats.h"

namespace fermata {
namespace {

// The trace as an event. A tag may be used only once, and a rollback brings a step again.
void add_with_new_tag(EventWriter& writer, const std::string& run_metadata, Step step) {
  constexpr int kMaxSameStep = 1000;
  for (int time = 1;; ++time) {
    const std::string tag = time == 1 ? fmt::format("step_{}", step) : fmt::format("step_{}_{}", step, time);
    try {
      // Without a step of its own, as the reference writes it.
      writer.add_run_metadata(run_metadata, tag, 0);
      return;
    } catch (const Error& error) {
      if (error.code() != Code::kInvalidArgument || time == kMaxSameStep) {
        throw;
      }
    }
  }
}

}  // namespace

ProfilerHook::ProfilerHook(Options options)
    : options_(std::move(options)),
      timer_(hooks::make_timer("ProfilerHook", {"save_steps", options_.save_steps},
                               {"save_secs", options_.save_secs}, options_.clock)) {
  if (options_.output_dir.empty()) {
    options_.output_dir.assign(1, '.');
  }
  args_.set_options({.trace_level = TraceLevel::kFullTrace});
}

ProfilerHook::~ProfilerHook() = default;

void ProfilerHook::begin(Graph& graph) {
  writer_ = shared_event_writer(options_.output_dir);
  hooks::require_global_step(graph, name());
  timer_.reset();
  started_ = false;
  requested_ = false;
}

std::vector<const SessionRunArgs*> ProfilerHook::announced() const { return {&args_}; }

void ProfilerHook::after_create_session(Session& session, Coordinator* /*coordinator*/) {
  hooks::record_graph_once(writer_, session.graph());
}

const SessionRunArgs* ProfilerHook::before_run(SessionRunContext& context) {
  const std::optional<Step> expected = context.expected_step();
  requested_ = started_ && expected && timer_.should_trigger_for_step(*expected, context);
  return requested_ ? &args_ : nullptr;
}

void ProfilerHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!values.step()) {
    return;
  }
  const Step step = *values.step();
  if (!started_) {
    started_ = true;
    timer_.update_last_triggered_step(context.step().value_or(step));
  }
  if (requested_) {
    // The next call may come without a before_run.
    requested_ = false;
    timer_.update_last_triggered_step(step);
    save(step, values.run_metadata().serialized);
  }
  sleep_until(timer_.not_due_before());
}

void ProfilerHook::save(Step step, const std::string& run_metadata) {
  if (wire::read_step_stats(run_metadata).empty()) {
    log(LogLevel::kWarning,
        fmt::format(
            "the engine recorded nothing about the run to step {}; TensorFlow's single-threaded executor "
            "never does: choose another one",
            step));
  }
  const std::string path = join_path(options_.output_dir, fmt::format("timeline-{}.json", step));
  replace_file(FileSystem::system(), path,
               hooks::timeline(run_metadata, {.show_dataflow = options_.show_dataflow,
                                              .show_memory = options_.show_memory}));
  log(LogLevel::kInfo, fmt::format("wrote the timeline of step {} to {}", step, path));
  add_with_new_tag(*writer_, run_metadata, step);
}

void ProfilerHook::end(Session& /*session*/) { writer_->flush(); }

void ProfilerHook::finished(const StopVerdict& verdict) {
  // A clean end has flushed in `end`.
  if (writer_ && verdict.failed()) {
    writer_->flush();
  }
}

}  // namespace fermata
