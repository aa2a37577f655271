// Rules about how sessions come to life and end.
#include <algorithm>
#include <map>
#include <set>

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
  explicit HalfMade(Json& expected) : expected_(expected), lines_(trace_of(expected)) {}

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
    edited_.push_back("close " + making_.session());
    half_made_.insert(making_.session());
    making_.end();
    const bool is_last = lines_.empty() || last_close() < session_number(making_.session());
    if (is_last && has(expected_, "final_step")) {
      expected_["final_step"] = making_.step();
    }
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

// The place of the hook whose end failed.
std::optional<std::size_t> failing_hook(const Json& scenario, const std::string& line) {
  const std::string name = line.substr(0, line.find('.'));
  const Json& hooks = member(scenario, "hooks");
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
    return place_of(scenario, "checkpoint_saver");
  }
  const std::optional<std::size_t> final_ops = place_of(scenario, "final_ops");
  return final_ops ? final_ops : place_of(scenario, "logging_tensor");
}

}  // namespace

void half_made_sessions(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                        Json& /*observed*/) {
  if (has(expected, "trace") && (has(scenario.json, "session") || has(scenario.json, "manager"))) {
    HalfMade(expected).apply();
  }
}

void every_hooks_end(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                     Json& /*observed*/) {
  const Lines lines = trace_of(expected);
  Lines edited;
  bool ending = false;
  std::string step;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    edited.push_back(line);
    ending = line == "> exit" || line == "> close" || (ending && !starts_with(line, "> ")) ||
             (starts_with(line, "run ") && ends_input(line)) || (contains(line, "_run ") && ends_input(line));
    if (contains(line, " step=")) {
      const std::size_t at = line.find(" step=");
      step = line.substr(at, line.find(' ', at + 1) - at);
    }
    const bool last =
        i + 1 < lines.size() && contains(lines[i + 1], " request_stop") && starts_with(lines[i + 1], "K");
    const bool of_end = contains(line, ".end ") || starts_with(line, "raw ") || contains(line, "_save ");
    if (!ending || !last || !of_end || error_in(line).empty()) {
      continue;
    }
    if (const std::optional<std::size_t> place = failing_hook(scenario.json, line)) {
      for (const std::string& name : recorders(scenario.json, *place + 1)) {
        edited.push_back(name + ".end " + session_in(line) + step);
      }
    }
  }
  if (has(expected, "trace")) {
    set_trace(expected, edited);
  }
}

void second_close(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  const Lines lines = trace_of(expected);
  const bool any = std::any_of(lines.begin(), lines.end(),
                               [](const std::string& line) { return contains(line, ".end null"); });
  const auto is_close = [](const Json& step) { return step["do"] == "close"; };
  const Json& drive = scenario.json["drive"];
  const bool closed_inside = std::any_of(drive.begin(), drive.end(), is_close);
  if (!any && !(closed_inside && member(expected, "raised_in") == "exit")) {
    return;
  }
  keep_lines(expected, [](const std::string& line) { return !contains(line, ".end null"); });
  bool closed = false;
  for (std::size_t i = 0; i < drive.size() && i < expected["results"].size(); ++i) {
    if (is_close(drive[i])) {
      if (closed) {
        expected["results"][i] = nullptr;
      }
      closed = true;
    }
  }
  if (closed && member(expected, "raised_in") == "exit") {
    const Json last = expected["results"].back();
    expected.erase("raised_in");
    expected["raised"] = nullptr;
    if (has(last, "error") && last["error"] != "OUT_OF_RANGE" && last["error"] != "STOP_ITERATION") {
      expected["raised"] = last["error"];
      expected["raised_in"] = "block";
    }
  }
}

}  // namespace fermata::conformance
