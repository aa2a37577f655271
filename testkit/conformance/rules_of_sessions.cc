// Rules about how sessions come to life and end.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "conformance/executed_steps.h"
#include "conformance/rules.h"
#include "conformance/trace_edit.h"

namespace fermata::conformance {
namespace {

// A raw run, a function or a callback that belongs to the making of a session.
bool makes(const std::string& line, const std::string& session) {
  return session_in(line) == session && (starts_with(line, "raw ") || starts_with(line, "init_fn ") ||
                                         contains(line, ".after_create_session ") ||
                                         contains(line, ".before_save ") || contains(line, ".after_save "));
}

bool says_not_ready(const std::string& line) {
  return starts_with(line, "raw ") && contains(line, " ready") && contains(line, " = [\"");
}

// What is known of the session that is being made.
class Making {
 public:
  void begin(const std::string& session) {
    session_ = session;
    active_ = true;
    told_ = false;
    step_ = Json();
  }
  void end() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] bool told() const { return told_; }
  [[nodiscard]] const std::string& session() const { return session_; }
  [[nodiscard]] const Json& step() const { return step_; }

  void look(const std::string& line) {
    told_ = told_ || contains(line, ".after_create_session ") || contains(line, " save ") ||
            contains(line, "_save ");
    if (starts_with(line, "raw ") && error_in(line).empty() && contains(line, " init")) {
      step_ = 0;
    }
    const std::size_t dash = line.rfind('-');
    if (contains(line, " restore ") && error_in(line).empty() && dash != std::string::npos) {
      step_ = std::stoll("0" + line.substr(dash + 1));
    }
  }

 private:
  std::string session_;
  bool active_ = false;
  bool told_ = false;
  Json step_;
};

class HalfMade {
 public:
  HalfMade(const Json& scenario, Json& expected)
      : scenario_(scenario), expected_(expected), lines_(trace_of(expected)) {}

  void apply() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& line = lines_[i];
      if (making_.active() && nothing_was_tried_ && !makes(line, making_.session()) && moves_on(line)) {
        finish(line);
      }
      if (starts_with(line, "new ") && error_in(line).empty()) {
        making_.begin(session_in(line));
        nothing_was_tried_ = any_error_;
      } else if (starts_with(line, "> ") || contains(line, ".before_run ") || starts_with(line, "run ")) {
        making_.end();
      }
      if (starts_with(line, "close ")) {
        closed_.insert(session_in(line));
      }
      if (is_ghost(line)) {
        forget_error_of(line);
        continue;
      }
      edited_.push_back(line);
      if (const std::string label = coordinator_in(line); !label.empty()) {
        coordinators_.insert(label);
      }
      if (making_.active() && makes(line, making_.session())) {
        making_.look(line);
        nothing_was_tried_ = false;
        if (is_the_end(i)) {
          finish(line);
        }
      }
    }
    if (making_.active() && nothing_was_tried_) {
      finish({});
    }
    set_trace(expected_, edited_);
  }

 private:
  // A callback with a session that is half made, or closed.
  [[nodiscard]] bool is_ghost(const std::string& line) const {
    const bool of_half_made = half_made_.count(session_in(line)) != 0;
    const bool of_closed = contains(line, ".end ") && contains(line, " step=closed");
    const bool read_of_closed = starts_with(line, "raw ") && closed_.count(session_in(line)) != 0;
    return of_half_made || of_closed || read_of_closed;
  }

  // What such a callback threw at the exit is not thrown.
  void forget_error_of(const std::string& line) {
    if (!error_in(line).empty() && member(expected_, "raised") == error_in(line) &&
        member(expected_, "raised_in") == "exit") {
      expected_["raised"] = nullptr;
      expected_.erase("raised_in");
    }
  }

  [[nodiscard]] bool is_the_end(std::size_t i) const {
    const std::string next = i + 1 < lines_.size() ? lines_[i + 1] : std::string();
    const bool goes_on = makes(next, making_.session()) || starts_with(next, "close " + making_.session());
    return (!error_in(lines_[i]).empty() || (says_not_ready(lines_[i]) && any_error_)) && !goes_on;
  }

  static bool moves_on(const std::string& line) {
    return !starts_with(line, "sleep ") && !starts_with(line, "close ");
  }

  void finish(const std::string& line) {
    if (making_.told()) {
      const std::string known = coordinator_in(line);
      const std::string label = known.empty() ? "K" + std::to_string(coordinators_.size() + 1) : known;
      edited_.push_back(label + " request_stop");
      edited_.push_back(label + " join");
    }
    edited_.push_back("close " + making_.session() + fault_of_close());
    half_made_.insert(making_.session());
    making_.end();
    const bool is_last = lines_.empty() || last_close() < session_number(making_.session());
    if (is_last && has(expected_, "final_step")) {
      expected_["final_step"] = making_.step();
    }
  }

  [[nodiscard]] std::string fault_of_close() const {
    const auto closes = std::count_if(edited_.begin(), edited_.end(),
                                      [](const std::string& line) { return starts_with(line, "close "); });
    for (const Json& fault : member(scenario_, "faults")) {
      if (member(fault, "close") == closes + 1) {
        return " ! " + fault["error"].get<std::string>();
      }
    }
    return {};
  }

  static int session_number(const std::string& label) { return std::stoi("0" + label.substr(1)); }
  // The highest number of a session that was closed.
  [[nodiscard]] int last_close() const {
    int last = 0;
    for (const std::string& line : lines_) {
      last = starts_with(line, "close ") ? std::max(last, session_number(session_in(line))) : last;
    }
    return last;
  }
  static bool has_error(const Json& expected) {
    const Json& results = expected["results"];
    return !member(expected, "raised").is_null() ||
           std::any_of(results.begin(), results.end(),
                       [](const Json& result) { return has(result, "error"); });
  }

  const Json& scenario_;
  Json& expected_;
  const Lines lines_;
  const bool any_error_ = has_error(expected_);
  bool nothing_was_tried_ = false;
  Lines edited_;
  Making making_;
  std::set<std::string> half_made_;
  std::set<std::string> closed_;
  std::set<std::string> coordinators_;
};

bool ends_input(const std::string& line) {
  const std::string error = error_in(line);
  return error == "OUT_OF_RANGE" || error == "STOP_ITERATION";
}

// The place of the first hook of this type.
std::optional<std::size_t> first_of(const std::vector<Json>& hooks, const std::string& type) {
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (hooks[i]["type"] == type) {
      return i;
    }
  }
  return std::nullopt;
}

// The place of the hook whose end failed.
std::optional<std::size_t> failing_hook(const std::vector<Json>& hooks, const std::string& line) {
  const std::string name = line.substr(0, line.find('.'));
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (hooks[i]["type"] == "recorder" && hooks[i]["name"] == name) {
      return i;
    }
    for (const Json& listener : member(member(hooks[i], "args"), "listeners")) {
      if (listener["name"] == name) {
        return i;
      }
    }
  }
  if (!starts_with(line, "raw ")) {
    return std::nullopt;
  }
  if (contains(line, " save ")) {
    return first_of(hooks, "checkpoint_saver");
  }
  const std::optional<std::size_t> final_ops = first_of(hooks, "final_ops");
  return final_ops ? final_ops : first_of(hooks, "logging_tensor");
}

// What the script of a recorder says that its n-th `end` throws; empty: nothing.
std::string error_of_end(const Json& recorder, std::int64_t call) {
  for (const Json& action : member(recorder, "script")) {
    const Json& wanted = member(action, "call");
    if (action["at"] == "end" && action["do"] == "raise" && (wanted.is_null() || wanted == call)) {
      return action["error"].get<std::string>();
    }
  }
  return {};
}

// Puts the `end` of the hooks behind one that failed into a trace.
class Ends {
 public:
  Ends(const Json& scenario, const Lines& lines) : phases_(hooks_of_phases(scenario)), lines_(lines) {}

  Lines with_all() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& line = lines_[i];
      edited_.push_back(line);
      look(line);
      const bool last = i + 1 < lines_.size() && contains(lines_[i + 1], " request_stop") &&
                        starts_with(lines_[i + 1], "K");
      const bool of_end = contains(line, ".end ") || starts_with(line, "raw ") || contains(line, "_save ");
      if (ending_ && last && of_end && !error_in(line).empty()) {
        add_others(line);
      }
    }
    return edited_;
  }

 private:
  void look(const std::string& line) {
    phase_ += starts_with(line, "phase ") ? 1 : 0;
    ending_ = line == "> exit" || line == "> close" || (ending_ && !starts_with(line, "> ")) ||
              (starts_with(line, "run ") && ends_input(line)) ||
              (contains(line, "_run ") && ends_input(line));
    if (const std::size_t at = line.find(" step="); at != std::string::npos) {
      step_ = line.substr(at, line.find(' ', at + 1) - at);
    }
    if (const std::size_t at = line.find(".end "); at != std::string::npos) {
      ++ends_[line.substr(0, at)];
    }
  }

  void add_others(const std::string& line) {
    const std::vector<Json>& hooks = phases_.at(std::min(phase_, phases_.size() - 1));
    const std::optional<std::size_t> place = failing_hook(hooks, line);
    for (std::size_t i = place ? *place + 1 : hooks.size(); i < hooks.size(); ++i) {
      if (hooks[i]["type"] != "recorder") {
        continue;
      }
      const auto name = hooks[i]["name"].get<std::string>();
      const std::string error = error_of_end(hooks[i], ++ends_[name]);
      edited_.push_back(name + ".end " + session_in(line) + step_ + (error.empty() ? "" : " ! " + error));
    }
  }

  const std::vector<std::vector<Json>> phases_;
  const Lines& lines_;
  Lines edited_;
  std::map<std::string, std::int64_t> ends_;
  std::size_t phase_ = 0;
  bool ending_ = false;
  std::string step_;
};

}  // namespace

void half_made_sessions(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                        Json& /*observed*/) {
  if (has(expected, "trace") && (has(scenario.json, "session") || has(scenario.json, "manager"))) {
    HalfMade(scenario.json, expected).apply();
  }
}

void every_hooks_end(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
  if (has(expected, "trace") && has(scenario.json, "session")) {
    const Lines lines = trace_of(expected);
    set_trace(expected, Ends(scenario.json, lines).with_all());
  }
}

namespace {

// The answer of a second `close` in each phase, and what leaving a block says that had been closed inside.
class SecondClose {
 public:
  SecondClose(const Json& scenario, Json& expected) : scenario_(scenario), expected_(expected) {}

  void apply() {
    const std::vector<const Json*> phases = phases_of(scenario_);
    const std::vector<ExecutedStep> steps = executed_steps(scenario_, expected_);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      std::vector<ExecutedStep> own;
      std::copy_if(steps.begin(), steps.end(), std::back_inserter(own),
                   [phase](const ExecutedStep& step) { return step.phase == phase; });
      look_at(own, is_block(*phases[phase]), phase, phase + 1 == phases.size());
    }
    keep_lines(expected_, [](const std::string& line) { return !contains(line, ".end null"); });
  }

 private:
  void look_at(const std::vector<ExecutedStep>& steps, bool block, std::size_t phase, bool is_last) {
    bool closed = false;
    Json left_with;
    for (const ExecutedStep& step : steps) {
      Json& result = expected_["results"][step.result];
      if (!step.afterwards) {
        left_with = step.step->value("catch", false) ? Json() : result;
      }
      const bool closed_before = closed || (block && step.afterwards);
      if ((*step.step)["do"] == "close") {
        result = closed_before ? Json() : result;
        closed_inside_ = closed_inside_ || (block && !step.afterwards);
        closed = true;
      }
    }
    if (std::exchange(closed_inside_, false)) {
      leave_block(left_with, phase, is_last);
    }
  }

  // What failed in the block itself is what comes out of it.
  void leave_block(const Json& last, std::size_t phase, bool is_last) {
    std::string error = has(last, "error") ? last["error"].get<std::string>() : std::string();
    error = error == "OUT_OF_RANGE" || error == "STOP_ITERATION" ? "" : error;
    if (!is_last) {
      leave_earlier_block(error, phase);
    } else if (member(expected_, "raised_in") == "exit") {
      expected_.erase("raised_in");
      expected_["raised"] = error.empty() ? Json() : Json(error);
      if (!error.empty()) {
        expected_["raised_in"] = "block";
      }
    }
  }

  void leave_earlier_block(const std::string& error, std::size_t phase) {
    Lines lines = trace_of(expected_);
    const auto next = std::find(lines.begin(), lines.end(), "phase " + std::to_string(phase + 2));
    if (next == lines.begin() || next == lines.end() || !contains(*std::prev(next), " in exit")) {
      return;
    }
    if (error.empty()) {
      lines.erase(std::prev(next));
    } else {
      *std::prev(next) = "raised " + error + " in block";
    }
    set_trace(expected_, lines);
  }

  const Json& scenario_;
  Json& expected_;
  bool closed_inside_ = false;
};

}  // namespace

void second_close(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  if (has(scenario.json, "session")) {
    SecondClose(scenario.json, expected).apply();
  }
}

}  // namespace fermata::conformance
