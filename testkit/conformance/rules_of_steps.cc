// Rules about steps: targets, saving, requests.
#include <algorithm>
#include <optional>

#include "conformance/rules.h"
#include "conformance/run_options.h"
#include "conformance/trace_edit.h"

namespace fermata::conformance {
namespace {

void flatten(const Json& value, Json& into) {
  if (value.is_structured() && !value.empty()) {
    for (const Json& inner : value) {
      flatten(inner, into);
    }
  } else if (!value.is_structured()) {
    into.push_back(value);
  }
}

void flatten_lines(Json& side) {
  Lines lines = trace_of(side);
  for (std::string& line : lines) {
    const std::size_t at = line.find(" = ");
    if (starts_with(line, "raw ") && contains(line, " eval ") && at != std::string::npos) {
      Json flat = Json::array();
      flatten(Json::parse(line.substr(at + 3)), flat);
      line = line.substr(0, at + 3) + text_of(flat);
    }
  }
  if (has(side, "trace")) {
    set_trace(side, lines);
  }
}

const Json& args_of(const Json& hook) { return member(hook, "args"); }

std::optional<std::int64_t> number_in(const Json& args, const char* key) {
  const Json& value = member(args, key);
  return value.is_number() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

// Leaves out a run: its lines, and its count in the result of the loop.
void leave_out_run(Json& expected, Lines& lines, std::size_t first, std::size_t end) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
  for (Json& result : expected["results"]) {
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

void no_step_reads(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& observed) {
  const auto is_other = [](const std::string& line) {
    return !(starts_with(line, "raw ") && contains(line, " read_step"));
  };
  keep_lines(expected, is_other);
  keep_lines(observed, is_other);
}

void flat_values(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& observed) {
  flatten_lines(expected);
  flatten_lines(observed);
}

void at_the_target(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  const std::optional<std::size_t> place = place_of(scenario.json, "stop_at_step");
  Lines lines = trace_of(expected);
  if (!place || lines.empty() || has(scenario.json, "then")) {
    return;
  }
  const Json& args = args_of(scenario.json["hooks"][*place]);
  const auto told = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return contains(line, ".after_create_session ") && error_in(line).empty();
  });
  const std::optional<std::int64_t> start =
      told == lines.end() ? std::optional<std::int64_t>(0) : step_in(*told);
  const std::optional<std::int64_t> target =
      number_in(args, "last_step") ? number_in(args, "last_step") : number_in(args, "num_steps");
  const std::int64_t done = number_in(args, "last_step") ? start.value_or(0) : 0;
  if (!target || *target < 0 || done < *target || !start) {
    return;
  }
  const std::size_t run = next_command(lines, 0);
  if (run >= lines.size() || lines[run] != "> run") {
    return;
  }
  leave_out_run(expected, lines, run, next_command(lines, run + 1));
  lower_steps(expected, lines, run, increment_of(scenario.json));
  // The hook asks when it is told of the session: before the recorders behind it are.
  const Lines later = recorders(scenario.json, *place + 1);
  std::size_t at = run;
  for (std::size_t i = run; i > 0; --i) {
    const std::string name = lines[i - 1].substr(0, lines[i - 1].find('.'));
    if (contains(lines[i - 1], ".after_create_session ") &&
        std::find(later.begin(), later.end(), name) != later.end()) {
      at = i - 1;
    }
  }
  const std::string label = told == lines.end() ? "K1" : coordinator_in(*told);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), label + " request_stop");
  set_trace(expected, lines);
}

void crossed_target(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
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

void negative_numbers(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  const auto negative = [](const Json& args) {
    return std::any_of(args.begin(), args.end(), [](const Json& value) {
      return value.is_number() && value.get<double>() < 0;
    });
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

void committed_steps(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  const Lines lines = trace_of(expected);
  Lines edited;
  std::string committed;
  bool skipping = false;
  for (const std::string& line : lines) {
    const bool is_save = starts_with(line, "raw ") && contains(line, " save ");
    const bool is_restore = starts_with(line, "raw ") && contains(line, " restore ");
    const std::string name = is_save || is_restore ? line.substr(line.rfind(' ') + 1) : std::string();
    if (starts_with(line, "run ")) {
      committed.clear();
      skipping = false;
    }
    if (is_save && error_in(line).empty() && name == committed) {
      while (!edited.empty() && contains(edited.back(), ".before_save ")) {
        edited.pop_back();
      }
      skipping = true;
      continue;
    }
    skipping = skipping && contains(line, ".after_save ");
    if (!skipping) {
      edited.push_back(line);
    }
    committed = (is_save || is_restore) && error_in(line).empty() ? name : committed;
  }
  if (edited != lines) {
    set_trace(expected, edited);
  }
  drop_second_checkpoint_marks(expected);
}

void callers_options(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  std::vector<std::string> given;
  for (const Json& step : scenario.json["drive"]) {
    if (step["do"] == "run" && has(step, "options")) {
      const RunOptions options = options_of(step["options"]);
      given.push_back(options_text(&options));
    } else if (step["do"] == "run") {
      given.emplace_back("none");
    }
  }
  Lines lines = trace_of(expected);
  std::size_t run = 0;
  for (std::string& line : lines) {
    run += line == "> run" ? 1 : 0;
    const std::size_t at = line.find(",options:none");
    if (contains(line, " original=") && at != std::string::npos && run >= 1 && run <= given.size()) {
      line.replace(at, 13, ",options:" + given[run - 1]);
    }
  }
  if (!lines.empty()) {
    set_trace(expected, lines);
  }
}

}  // namespace fermata::conformance
