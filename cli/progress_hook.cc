#include "cli/progress_hook.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/text.h"
#include "fermata/session.h"

namespace fermata::cli {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

ProgressStyle resolve(ProgressStyle style) {
  if (style != ProgressStyle::kAuto) {
    return style;
  }
  return stdout_is_terminal() ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string values_text(const StepValues& values) {
  std::string text;
  for (const NamedView& view : values.values) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "  ", view.name, short_value(view.value));
  }
  return text;
}

}  // namespace

ProgressHook::ProgressHook(Options options) : options_(std::move(options)) {
  options_.style = resolve(options_.style);
  if (!options_.clock) {
    options_.clock = Clock::system();
  }
}

void ProgressHook::after_create_session(Session& session, Coordinator* /*coordinator*/) {
  state_.step = session.read_step();
  if (started_) {
    return;  // Made anew: the run as a whole goes on.
  }
  started_ = true;
  state_.start = state_.step;
  if (options_.time_limit) {
    deadline_ = options_.clock->now() + *options_.time_limit;
  }
}

void ProgressHook::after_run(SessionRunContext& /*context*/, const SessionRunValues& values) {
  state_.step = values.step().value_or(state_.step + 1);
  if (!is_bar()) {
    return;
  }
  const Clock::TimePoint now = options_.clock->now();
  if (!drawn_ || now - *drawn_ >= kRedrawInterval) {
    update(state_.step, now);
    draw();
  }
}

void ProgressHook::show(const StepValues& values) {
  state_.values = values_text(values);
  if (options_.style != ProgressStyle::kLines) {
    return;
  }
  update(values.step, options_.clock->now());
  options_.screen->line(progress_line(state_));
}

void ProgressHook::update(Step step, Clock::TimePoint now) {
  state_.step = step;
  state_.target = options_.goal ? options_.goal() : std::nullopt;
  if (state_.target && *state_.target < step) {
    state_.target.reset();  // It was an estimate, and the step grows faster.
  }
  rate_.add(now, step);
  state_.steps_per_second = rate_.steps_per_second();
  if (deadline_) {
    state_.seconds_to_deadline = std::max(0.0, std::chrono::duration<double>(*deadline_ - now).count());
  }
}

void ProgressHook::draw() {
  drawn_ = options_.clock->now();
  options_.screen->status(progress_bar(state_, terminal_width() - 1));
}

void ProgressHook::finished(const StopVerdict& /*verdict*/) {
  if (!is_bar() || !drawn_) {
    return;
  }
  update(state_.step, options_.clock->now());
  options_.screen->status({});
  options_.screen->line(progress_bar(state_, terminal_width() - 1));
}

}  // namespace fermata::cli
