// Rules about runs: what is read, saved and asked for.
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

void committed_steps(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
  // A saver by itself saves whenever it is told to: it is the hook that knows what is committed.
  if (has(scenario.json, "saver")) {
    return;
  }
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
