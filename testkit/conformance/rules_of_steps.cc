// Rules about steps: targets, saving, requests.
#include <algorithm>
#include <map>
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
  } else if (!value.is_structured() && !value.is_null()) {
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

// A caller's options stay as they were given, whatever is merged.
void show_own_options(const Json& drive, const std::vector<std::string>& given, Json& expected) {
  std::map<std::string, std::string> named;
  std::size_t run = 0;
  for (std::size_t i = 0; i < drive.size() && i < expected["results"].size(); ++i) {
    if (drive[i]["do"] != "run") {
      continue;
    }
    const std::string name = drive[i].value("options_object", std::string());
    const std::string own = named.emplace(name.empty() ? std::to_string(i) : name, given[run]).first->second;
    ++run;
    if (has(expected["results"][i], "options")) {
      expected["results"][i]["options"] = own;
    }
  }
}

// -1, "on the caller's thread", is merged as a value of its own.
void keep_thread_pool(const Json& scenario, std::string& line) {
  const Json& drive = scenario["drive"];
  const bool on_callers_thread = std::any_of(drive.begin(), drive.end(), [](const Json& step) {
    return member(member(step, "options"), "inter_op_thread_pool") == -1;
  });
  const std::string words = "inter_op_thread_pool:-1";
  if (on_callers_thread && contains(line, ".after_run ") && contains(line, " options=") &&
      !contains(line, words)) {
    line += "," + words;
  }
}

}  // namespace

namespace {

// An error needs no handler around the call that reports it.
void report_without_context(const Json& drive, Json& expected) {
  std::string kind;
  for (std::size_t i = 0; i < drive.size() && i < expected["results"].size(); ++i) {
    const auto what = drive[i]["do"].get<std::string>();
    Json& result = expected["results"][i];
    if (what == "request_stop_without_context") {
      kind = drive[i]["error"].get<std::string>();
      result = nullptr;
    } else if (!kind.empty()) {
      result = what == "should_stop" ? Json(true) : Json{{"error", kind}};
    }
  }
}

}  // namespace

void no_type_errors(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                    Json& /*observed*/) {
  report_without_context(scenario.json["drive"], expected);
  for (Json& result : expected["results"]) {
    if (has(result, "error") && result["error"] == "NullAccess") {
      result["error"] = "Misuse";
    }
  }
  if (has(expected, "log")) {
    Json& log = expected["log"];
    log.erase(std::remove(log.begin(), log.end(), Json("ERROR several_global_steps")), log.end());
  }
  if (!has(member(scenario.json, "graph"), "step")) {
    return;
  }
  if (member(expected, "raised") == "TypeErr") {
    expected["raised"] = "Misuse";
  }
  for (Json& result : expected["results"]) {
    if (has(result, "error") && result["error"] == "TypeErr") {
      result["error"] = "Misuse";
    }
  }
}

void raw_runs(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& observed) {
  const auto is_other = [](const std::string& line) {
    return !(starts_with(line, "raw ") && contains(line, " read_step"));
  };
  keep_lines(expected, is_other);
  keep_lines(observed, is_other);
  flatten_lines(expected);
  flatten_lines(observed);
}

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
      if (const std::string label = coordinator_in(lines_[i]); !label.empty()) {
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

void committed_steps(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
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

void callers_options(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
  std::vector<std::string> given;
  for (const Json& step : scenario.json["drive"]) {
    if (step["do"] == "run" && has(step, "options")) {
      const RunOptions options = options_of(step["options"]);
      given.push_back(options_text(&options));
    } else if (step["do"] == "run") {
      given.emplace_back("none");
    }
  }
  show_own_options(scenario.json["drive"], given, expected);
  Lines lines = trace_of(expected);
  std::size_t run = 0;
  for (std::string& line : lines) {
    keep_thread_pool(scenario.json, line);
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
