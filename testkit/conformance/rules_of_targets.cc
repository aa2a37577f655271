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

// Leaves out a run: its lines, and its count in the result of the loop.
void leave_out_run(Json& expected, Lines& lines, std::size_t first, std::size_t end) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
  Json& results = expected["results"];
  for (std::size_t i = results.size(); i > 0; --i) {
    Json& result = results[i - 1];
    if (has(result, "runs") && result["should_stop"] == true) {
      result["runs"] = result["runs"].get<std::int64_t>() - 1;
      return;
    }
  }
}

std::size_t next_command(const Lines& lines, std::size_t from) {
  while (from < lines.size() && !starts_with(lines[from], "> ")) {
    ++from;
  }
  return from;
}

std::int64_t increment_of(const Json& scenario) {
  return member(scenario, "graph").is_object() ? scenario["graph"].value("increment", std::int64_t{1}) : 1;
}

// Later lines and the final step say a step that is `less` smaller.
void lower_steps(Json& expected, Lines& lines, std::size_t from, std::int64_t less) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (const std::optional<std::int64_t> step = step_in(lines[i])) {
      const std::string before = " step=" + std::to_string(*step);
      lines[i].replace(lines[i].find(before), before.size(), " step=" + std::to_string(*step - less));
    }
  }
  if (member(expected, "final_step").is_number()) {
    expected["final_step"] = expected["final_step"].get<std::int64_t>() - less;
  }
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

// Leaves out the first run of a phase whose end was asked for before it.
class FirstRun {
 public:
  // `begin` is the first line of the phase.
  FirstRun(const Json& scenario, Json& expected, Lines& lines, std::size_t begin)
      : scenario_(scenario), expected_(expected), lines_(lines), begin_(begin) {}

  // True if it left one out.
  bool leave_out(const Json& hooks) {
    run_ = next_command(lines_, begin_);
    if (run_ >= lines_.size() || lines_[run_] != "> run") {
      return false;
    }
    const std::optional<std::size_t> place = who_asks(hooks);
    if (!place) {
      return false;
    }
    const std::size_t end = next_command(lines_, run_ + 1);
    lower_steps(expected_, lines_, end, increment_of(scenario_));
    leave_out_run(expected_, lines_, run_, end);
    leave_out_last_save();
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(where_it_shows(hooks, *place)),
                  coordinator() + " request_stop");
    return true;
  }

 private:
  // The step has not moved, so there is nothing to save at the end.
  void leave_out_last_save() {
    for (std::size_t i = run_; i < lines_.size() && !starts_with(lines_[i], "phase "); ++i) {
      if (starts_with(lines_[i], "raw ") && contains(lines_[i], " save ")) {
        forget_checkpoint(lines_[i].substr(lines_[i].rfind(' ') + 1));
        lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i--));
      }
    }
  }

  void forget_checkpoint(const std::string& name) {
    const Json before = member(expected_, "checkpoints");
    if (!before.is_object()) {
      return;
    }
    for (const auto& [prefix, values] : before.items()) {
      static_cast<void>(values);
      if (prefix.size() > name.size() && prefix.substr(prefix.size() - name.size()) == name) {
        expected_["checkpoints"].erase(prefix);
      }
    }
  }

  [[nodiscard]] std::optional<std::int64_t> start() const {
    // The constant steps of the graph `counter` are 5.
    const Json& odd = member(member(scenario_, "graph"), "step");
    if (odd.is_string() && starts_with(odd.get<std::string>(), "tensor")) {
      return 5;
    }
    for (std::size_t i = begin_; i < run_; ++i) {
      const std::size_t dash = lines_[i].rfind('-');
      if (contains(lines_[i], " restore ") && dash != std::string::npos) {
        return std::stoll(lines_[i].substr(dash + 1));
      }
    }
    return 0;
  }

  // The hook whose target is reached when it is told of the session.
  [[nodiscard]] std::optional<std::size_t> who_asks(const Json& hooks) const {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      const Json& args = args_of(hooks[i]);
      const std::optional<std::int64_t> last = number_in(args, "last_step");
      if (hooks[i]["type"] == "stop_at_step" &&
          ((last && *last >= 0 && start() >= *last) || number_in(args, "num_steps") == 0)) {
        return i;
      }
    }
    return std::nullopt;
  }

  // Before the first recorder behind that hook is told.
  [[nodiscard]] std::size_t where_it_shows(const Json& hooks, std::size_t place) const {
    const Lines later = recorders({{"hooks", hooks}}, place + 1);
    for (std::size_t i = begin_; i < run_; ++i) {
      const std::string name = lines_[i].substr(0, lines_[i].find('.'));
      if (contains(lines_[i], ".after_create_session ") &&
          std::find(later.begin(), later.end(), name) != later.end()) {
        return i;
      }
    }
    return run_;
  }

  [[nodiscard]] std::string coordinator() const {
    for (std::size_t i = begin_; i < lines_.size(); ++i) {
      if (std::string label = coordinator_in(lines_[i]); !label.empty()) {
        return label;
      }
    }
    return "K1";
  }

  const Json& scenario_;
  Json& expected_;
  Lines& lines_;
  std::size_t begin_;
  std::size_t run_ = 0;
};

}  // namespace

void at_the_target(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                   Json& /*observed*/) {
  Lines lines = trace_of(expected);
  if (lines.empty() || !has(scenario.json, "session")) {
    return;
  }
  Json hooks = member(scenario.json, "hooks");
  bool changed = FirstRun(scenario.json, expected, lines, 0).leave_out(hooks);
  int number = 2;
  for (const Json& phase : member(scenario.json, "then")) {
    const auto at = std::find(lines.begin(), lines.end(), "phase " + std::to_string(number++));
    if (at == lines.end()) {
      break;
    }
    hooks = member(phase, "hooks") == "same" ? hooks : member(phase, "hooks");
    changed = FirstRun(scenario.json, expected, lines, static_cast<std::size_t>(at - lines.begin()))
                  .leave_out(hooks) ||
              changed;
  }
  if (changed) {
    set_trace(expected, lines);
  }
}

namespace {

void crossed_target(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                    Json& /*observed*/) {
  const std::optional<std::size_t> place = place_of(scenario.json, "stop_at_step");
  const std::int64_t increment = increment_of(scenario.json);
  Lines lines = trace_of(expected);
  if (!place || increment < 2 || lines.empty()) {
    return;
  }
  const Json& args = args_of(scenario.json["hooks"][*place]);
  const std::optional<std::int64_t> target =
      number_in(args, "last_step") ? number_in(args, "last_step") : number_in(args, "num_steps");
  for (std::size_t i = 0; target && i < lines.size(); ++i) {
    const std::optional<std::int64_t> step = step_in(lines[i]);
    if (!contains(lines[i], ".after_run ") || !step || *step < *target ||
        contains(lines[i], "stop_requested")) {
      continue;
    }
    const std::size_t run = next_command(lines, i);
    if (run < lines.size() && lines[run] == "> run") {
      for (std::size_t each = i; each < run; ++each) {
        lines[each] += contains(lines[each], ".after_run ") ? " stop_requested" : "";
      }
      leave_out_run(expected, lines, run, next_command(lines, run + 1));
      lower_steps(expected, lines, run, increment);
      set_trace(expected, lines);
    }
    return;
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

void crossed_boundaries(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed) {
  crossed_target(scenario, engine, expected, observed);
  if (increment_of(scenario.json) < 2 || has(scenario.json, "then") || !has(scenario.json, "session")) {
    return;
  }
  for (const Json& hook : member(scenario.json, "hooks")) {
    if (!has(args_of(hook), "steps_per_run")) {
      Boundaries(scenario.json, expected).apply(hook);
    }
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
