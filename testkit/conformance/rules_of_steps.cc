// Rules about runs: what is read, saved and asked for.
#include <algorithm>
#include <map>
#include <optional>

#include "conformance/executed_steps.h"
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
  if (member(expected, "raised") == "NullAccess") {
    expected["raised"] = "Misuse";
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
    // A hook that fetches the step's own read tensor reads the step too.
    return !(starts_with(line, "raw ") &&
             (contains(line, " read_step") || contains(line, " eval global_step/add =")));
  };
  keep_lines(expected, is_other);
  keep_lines(observed, is_other);
  flatten_lines(expected);
  flatten_lines(observed);
}

namespace {

// A hook that saves, as far as a trace shows it.
struct SavingHook {
  std::string dir;
  std::string basename;
};

SavingHook saving_hook(const Json& args) {
  const Json& dir = member(args, "checkpoint_dir");
  return {dir.is_string() ? dir.get<std::string>() : std::string(),
          args.value("checkpoint_basename", std::string("model.ckpt"))};
}

void add_saving_hooks(const Json& hooks, std::vector<SavingHook>& into) {
  for (const Json& hook : hooks) {
    if (hook["type"] == "checkpoint_saver") {
      into.push_back(saving_hook(hook["args"]));
    }
  }
}

bool saves_by_itself(const Json& session) {
  const auto is_off = [&](const char* key) { return has(session, key) && session[key].is_null(); };
  return session["kind"] == "training_session" && session.value("is_chief", true) &&
         member(session, "checkpoint_dir").is_string() &&
         !(is_off("save_checkpoint_secs") && is_off("save_checkpoint_steps"));
}

std::vector<SavingHook> saving_hooks(const Json& session, const std::vector<Json>& hooks) {
  std::vector<SavingHook> all;
  add_saving_hooks(member(session, "chief_only_hooks"), all);
  if (saves_by_itself(session)) {
    all.push_back(saving_hook(session));
  }
  add_saving_hooks(hooks, all);
  return all;
}

// The folder a session is restored from.
std::string folder_of_restore(const Json& session) {
  if (const Json& file = member(session, "checkpoint_filename"); file.is_string()) {
    return file.get<std::string>().substr(0, file.get<std::string>().rfind('/'));
  }
  const Json& dir = member(session, "checkpoint_dir");
  return dir.is_string() ? dir.get<std::string>() : std::string();
}

// A hook does not save again the very checkpoint that its session was restored from.
class Resaves {
 public:
  Resaves(const Json& scenario, Json& expected)
      : phases_(phases_of(scenario)), hooks_(hooks_of_phases(scenario)), expected_(expected) {}

  void leave_out() {
    for (const std::string& line : trace_of(expected_)) {
      phase_ += starts_with(line, "phase ") ? 1 : 0;
      look(line);
      const bool is_save = starts_with(line, "raw ") && contains(line, " save ");
      skipping_ = skipping_ && contains(line, ".after_save ");
      if (is_save && is_resave(line)) {
        while (!edited_.empty() && contains(edited_.back(), ".before_save ")) {
          edited_.pop_back();
        }
        skipping_ = true;
      } else if (!skipping_) {
        edited_.push_back(line);
      }
    }
    if (has(expected_, "trace")) {
      set_trace(expected_, edited_);
    }
  }

 private:
  void look(const std::string& line) {
    if (starts_with(line, "new ")) {
      making_ = true;
      saver_ = 0;
      restored_.clear();
    } else if (starts_with(line, "> ") || starts_with(line, "phase ") || contains(line, ".before_run ") ||
               starts_with(line, "step_fn ")) {
      making_ = false;
    }
    if (making_ && contains(line, " restore ") && error_in(line).empty()) {
      restored_ = line.substr(line.rfind(' ') + 1);
    }
  }

  [[nodiscard]] bool is_resave(const std::string& line) {
    const std::string name = line.substr(line.find(" save ") + 6);
    const Json& session = (*phases_.at(phase_))["session"];
    const std::vector<SavingHook> savers = saving_hooks(session, hooks_.at(phase_));
    const std::size_t place = saver_++;
    const bool resave = making_ && name == restored_ && place < savers.size() &&
                        savers[place].dir == folder_of_restore(session) &&
                        starts_with(name, savers[place].basename + "-");
    if (resave) {
      forget_mark(savers[place], name);
      forget_in_state(session, savers[place], name);
    }
    ++saved_[name];
    return resave;
  }

  void forget_mark(const SavingHook& saver, const std::string& name) {
    if (!has(member(expected_, "events"), saver.dir.c_str())) {
      return;
    }
    const std::string mark = "session_log CHECKPOINT step=" + name.substr(name.rfind('-') + 1) +
                             " path=$DIR/" + saver.dir + "/" + saver.basename;
    std::size_t before = saved_[name] - forgotten_[name]++;
    for (Json& lines : expected_["events"][saver.dir]) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i] == mark && before-- == 0) {
          lines.erase(i);
          return;
        }
      }
    }
  }

  // After a restore from a file of its own choice the saver knows of no other checkpoint.
  void forget_in_state(const Json& session, const SavingHook& saver, const std::string& name) {
    const std::string file = saver.dir + "/checkpoint";
    if (!has(session, "checkpoint_filename") || !has(member(expected_, "checkpoint_state"), file.c_str())) {
      return;
    }
    auto text = expected_["checkpoint_state"][file].get<std::string>();
    const std::string path = "$DIR/" + saver.dir + "/" + name + "\"\n";
    const std::string listed = "all_model_checkpoint_paths: \"" + path;
    const bool is_newest = starts_with(text, "model_checkpoint_path: \"" + path);
    if (const std::size_t at = text.find(listed); !is_newest && at != std::string::npos) {
      expected_["checkpoint_state"][file] = text.erase(at, listed.size());
    }
  }

  const std::vector<const Json*> phases_;
  const std::vector<std::vector<Json>> hooks_;
  Json& expected_;
  Lines edited_;
  std::size_t phase_ = 0;
  bool making_ = false;
  bool skipping_ = false;
  std::size_t saver_ = 0;
  std::string restored_;
  std::map<std::string, std::size_t> saved_;
  std::map<std::string, std::size_t> forgotten_;
};

}  // namespace

void committed_steps(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
  // A saver by itself saves whenever it is told to: it is the hook that knows what is committed.
  if (!has(scenario.json, "session")) {
    return;
  }
  if (has(expected, "trace")) {
    Resaves(scenario.json, expected).leave_out();
  } else {
    drop_second_checkpoint_marks(expected);
  }
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
