#include "cli/log_hook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fermata/error.h"

namespace fermata::cli {
namespace {

bool holds_nan(const TensorView& value) {
  switch (value.dtype()) {
    case DType::kFloat:
    case DType::kDouble:
    case DType::kHalf:
    case DType::kBFloat16:
      break;
    default:
      return false;
  }
  for (std::int64_t i = 0; i < value.size(); ++i) {
    if (std::isnan(value.as_double(i))) {
      return true;
    }
  }
  return false;
}

const NamedView* find_nan(const std::vector<NamedView>& views) {
  const auto found =
      std::find_if(views.begin(), views.end(), [](const NamedView& view) { return holds_nan(view.value); });
  return found == views.end() ? nullptr : &*found;
}

void hand_out(const StepValues& values, const std::vector<ValueSink>& sinks) {
  for (const ValueSink& sink : sinks) {
    sink(values);
  }
}

}  // namespace

LogHook::LogHook(Options options) : options_(std::move(options)), views_(options_.values.size()) {
  for (std::size_t i = 0; i < options_.values.size(); ++i) {
    args_.fetch(options_.values[i].tensor);
    views_[i].name = options_.values[i].name;
  }
}

std::vector<const SessionRunArgs*> LogHook::announced() const {
  return options_.values.empty() ? std::vector<const SessionRunArgs*>()
                                 : std::vector<const SessionRunArgs*>{&args_};
}

bool LogHook::expected(Step before) const {
  const Step after = before + increment_;
  const std::optional<Step> goal = options_.goal ? options_.goal() : std::nullopt;
  const bool last = goal && before < *goal && after >= *goal;
  return first_ || overdue_ || last || before / options_.every != after / options_.every;
}

const SessionRunArgs* LogHook::before_run(SessionRunContext& context) {
  before_ = context.step().value_or(0);
  fetched_ = !options_.values.empty() && (options_.on_nan != OnNan::kShow || expected(before_));
  return fetched_ ? &args_ : nullptr;
}

std::vector<std::string> LogHook::names() const {
  std::vector<std::string> names;
  for (const NamedOutput& value : options_.values) {
    names.push_back(value.name);
  }
  return names;
}

void LogHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const Step after = values.step().value_or(before_ + 1);
  const bool crossed = before_ / options_.every != after / options_.every;
  const bool shown = expected(before_);
  // A step that grew by more than was expected is logged one run late.
  const bool logged = overdue_ || crossed;
  increment_ = after - before_;
  overdue_ = logged && !fetched_;
  first_ = false;
  if (!fetched_) {
    return;
  }
  for (std::size_t i = 0; i < views_.size(); ++i) {
    views_[i].value = values.results()[i];
  }
  const StepValues found{after, views_};
  const NamedView* nan = options_.on_nan == OnNan::kShow ? nullptr : find_nan(views_);
  if (logged) {
    hand_out(found, options_.log_to);
  }
  if (logged || shown || nan != nullptr) {
    keep(found);
    hand_out(found, options_.show_to);
  }
  if (nan != nullptr) {
    end_for_nan(context, *nan, after);
  }
}

void LogHook::end_for_nan(SessionRunContext& context, const NamedView& value, Step step) const {
  const std::string words = fmt::format("{} is not a number at step {}", value.name, step);
  if (options_.on_nan == OnNan::kFail) {
    throw NanLossError(words);
  }
  context.request_stop(words);
}

void LogHook::keep(const StepValues& values) {
  last_values_.resize(values.values.size());
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    last_values_[i].name = values.values[i].name;
    last_values_[i].value = values.values[i].value.copy();
  }
}

}  // namespace fermata::cli
