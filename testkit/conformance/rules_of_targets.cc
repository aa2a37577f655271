// Rules about targets and boundaries of steps.
#include <algorithm>
#include <optional>

#include "conformance/rules.h"
#include "conformance/trace_edit.h"

namespace fermata::conformance {
namespace {

const Json& args_of(const Json& hook) { return member(hook, "args"); }

std::optional<std::int64_t> number_in(const Json& args, const char* key) {
  const Json& value = member(args, key);
  return value.is_number() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::int64_t increment_of(const Json& scenario) {
  return member(scenario, "graph").is_object() ? scenario["graph"].value("increment", std::int64_t{1}) : 1;
}

void expect_refusal(Json& expected, bool of_hook) {
  const bool has_sessions = has(expected, "sessions_created");
  expected = Json::object();
  expected["results"] = Json::array();
  expected["raised"] = "InvalidArg";
  expected["raised_in"] = of_hook ? "hook constructor" : "constructor";
  if (has_sessions) {
    expected["sessions_created"] = 0;
    expected["final_step"] = nullptr;
  }
}

}  // namespace

namespace {

// What Fermata's hooks do where a run makes several steps: they look at the step after each run.
class Boundaries {
 public:
  Boundaries(const Json& scenario, Json& expected) : expected_(expected), increment_(increment_of(scenario)) {
    last_ = member(expected, "final_step").is_number() ? expected["final_step"].get<std::int64_t>() : 0;
  }

  void apply(const Json& hook) {
    const Json& args = args_of(hook);
    if (hook["type"] == "summary_saver" && number_in(args, "save_steps")) {
      replace_events("summary step=", due(number_in(args, "save_steps").value_or(1), true));
    } else if (hook["type"] == "step_counter" && number_in(args, "every_n_steps")) {
      const std::vector<std::int64_t> steps = due(number_in(args, "every_n_steps").value_or(1), false);
      replace_events("summary step=", steps);
      repeat_log(steps.size());
    } else if (hook["type"] == "profiler" && number_in(args, "save_steps")) {
      replace_timelines(due(number_in(args, "save_steps").value_or(1), false));
    }
  }

 private:
  // The steps at which a hook acts; the first run only begins to count unless `first_too`.
  [[nodiscard]] std::vector<std::int64_t> due(std::int64_t every, bool first_too) const {
    std::vector<std::int64_t> steps;
    std::int64_t before = increment_;
    if (first_too) {
      steps.push_back(before);
    }
    for (std::int64_t step = 2 * increment_; step <= last_; step += increment_) {
      if (step - before >= every) {
        steps.push_back(step);
        before = step;
      }
    }
    return steps;
  }

  void replace_events(const std::string& start, const std::vector<std::int64_t>& steps) {
    if (!has(expected_, "events")) {
      return;
    }
    for (auto& [folder, files] : expected_["events"].items()) {
      static_cast<void>(folder);
      for (Json& lines : files) {
        lines = replaced(lines, start, steps);
      }
    }
  }

  static Json replaced(const Json& lines, const std::string& start, const std::vector<std::int64_t>& steps) {
    Json made = Json::array();
    bool done = false;
    for (const Json& line : lines) {
      const auto text = line.get<std::string>();
      if (!starts_with(text, start)) {
        made.push_back(line);
        continue;
      }
      const std::string value = text.substr(text.find(' ', start.size()));
      for (const std::int64_t step : done ? std::vector<std::int64_t>() : steps) {
        made.push_back(std::string(start).append(std::to_string(step)).append(value));
      }
      done = true;
    }
    return made;
  }

  void repeat_log(std::size_t times) {
    if (has(expected_, "log") && !expected_["log"].empty()) {
      expected_["log"] = Json(std::vector<Json>(times, expected_["log"].front()));
    }
  }

  void replace_timelines(const std::vector<std::int64_t>& steps) {
    if (!has(expected_, "files")) {
      return;
    }
    std::vector<std::string> names;
    std::string folder;
    for (const Json& file : expected_["files"]) {
      const auto name = file.get<std::string>();
      const std::size_t at = name.find("timeline-");
      folder = at == std::string::npos ? folder : name.substr(0, at);
      if (at == std::string::npos) {
        names.push_back(name);
      }
    }
    for (const std::int64_t step : steps) {
      names.push_back(folder + "timeline-" + std::to_string(step) + ".json");
    }
    std::sort(names.begin(), names.end());
    expected_["files"] = names;
  }

  Json& expected_;
  std::int64_t increment_;
  std::int64_t last_ = 0;
};

}  // namespace

void crossed_boundaries(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                        Json& /*observed*/) {
  if (increment_of(scenario.json) < 2 || !has(scenario.json, "session")) {
    return;
  }
  past_the_target(scenario.json, expected);
  if (has(scenario.json, "then")) {
    return;
  }
  for (const Json& hook : member(scenario.json, "hooks")) {
    Boundaries(scenario.json, expected).apply(hook);
  }
}

void negative_numbers(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                      Json& /*observed*/) {
  const auto negative = [](const Json& args) {
    return std::any_of(args.begin(), args.end(),
                       [](const Json& value) { return value.is_number() && value.get<double>() < 0; });
  };
  if (negative(member(scenario.json, "timer"))) {
    expect_refusal(expected, false);
    return;
  }
  for (const Json& hook : member(scenario.json, "hooks")) {
    const Json& type = hook["type"];
    const bool counts = type == "stop_at_step" || type == "logging_tensor" || type == "checkpoint_saver" ||
                        type == "summary_saver" || type == "step_counter";
    if (counts && negative(args_of(hook))) {
      expect_refusal(expected, true);
      return;
    }
  }
}

}  // namespace fermata::conformance
