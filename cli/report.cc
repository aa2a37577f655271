#include "cli/report.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/json_value.h"
#include "cli/version.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

template <typename T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json verdict_json(const StopVerdict& verdict) {
  const std::string message = verdict.failed() && verdict.error ? describe(verdict.error) : verdict.message;
  ordered_json json = {{"reason", stop_reason_name(verdict.reason)},
                       {"step", value_or_null(verdict.step)},
                       {"by", verdict.by},
                       {"message", message}};
  if (verdict.signal != 0) {
    json["signal"] = verdict.signal;
  }
  if (!verdict.later_errors.empty()) {
    json["later_errors"] = verdict.later_errors;
  }
  if (!verdict.notes.empty()) {
    json["notes"] = verdict.notes;
  }
  return json;
}

// A number where the whole text is one.
ordered_json option_value(const std::string& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole ? ordered_json(number) : ordered_json(text);
}

ordered_json option_values(const std::string& name, const std::vector<std::string>& values) {
  if (values.empty()) {
    return true;
  }
  const bool list = name == "input" || name == "feed" || name == "evaluate-input" || name == "evaluate-feed";
  return list ? ordered_json(values) : option_value(values.front());
}

ordered_json options_json(const TrainOptions& options) {
  ordered_json json = {{"model", options.model}};
  for (const auto& [name, values] : options.given) {
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    json[key] = option_values(name, values);
  }
  return json;
}

ordered_json values_json(const Report& report) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : report.values) {
    json[name] = json_value(value.view());
  }
  return json;
}

ordered_json evaluation_json(const Report& report) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : report.evaluation.value_or(EvaluationResult{})) {
    json[name] = json_number(value);
  }
  return json;
}

}  // namespace

std::string report_text(const Report& report, const TrainOptions& options) {
  const ordered_json json = {{"verdict", verdict_json(report.verdict)},
                             {"start_step", value_or_null(report.start_step)},
                             {"steps_run", report.steps_run},
                             {"restored_from", text_or_null(report.restored_from)},
                             {"checkpoints", report.checkpoints},
                             {"failed_saves", report.failed_saves},
                             {"values", values_json(report)},
                             {"evaluation", evaluation_json(report)},
                             {"executor", text_or_null(report.executor)},
                             {"seconds", report.seconds},
                             {"seconds_to_first_step", value_or_null(report.seconds_to_first_step)},
                             {"versions",
                              {{"fermata", fermata_version()},
                               {"tensorflow", text_or_null(report.tensorflow_version)},
                               {"compiler", compiler_version()}}},
                             {"options", options_json(options)}};
  return json_text(json, 2) + "\n";
}

}  // namespace fermata::cli
