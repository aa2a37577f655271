// Rules about stops that were asked for before the first run.
#include <algorithm>
#include <optional>

#include "conformance/executed_steps.h"
#include "conformance/rules.h"
#include "conformance/trace_edit.h"

namespace fermata::conformance {
namespace {

std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

std::optional<std::int64_t> number_in(const Json& args, const char* key) {
  const Json& value = member(args, key);
  return value.is_number() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

// One phase whose end was asked for when its session was made, or in a run that went past the target: no run
// follows.
class FirstRun {
 public:
  FirstRun(const Json& scenario, Json& expected, Lines& lines, std::size_t phase)
      : scenario_(scenario), expected_(expected), lines_(lines), phase_(phase) {
    const auto place_of_phase = [&](std::size_t number) {
      const auto found = std::find(lines_.begin(), lines_.end(), "phase " + std::to_string(number + 1));
      return static_cast<std::size_t>(found - lines_.begin());
    };
    begin_ = phase == 0 ? 0 : place_of_phase(phase);
    end_ = place_of_phase(phase + 1);
    first_command_ = begin_;
    while (first_command_ < end_ && !starts_with(lines_[first_command_], "> ")) {
      ++first_command_;
    }
  }

  // True if it changed something.
  bool leave_out(const std::vector<Json>& hooks) {
    const std::optional<std::size_t> place = begin_ < end_ ? who_asks(hooks) : std::nullopt;
    if (!place || !session_was_made()) {
      return false;
    }
    leave_out_runs();
    lines_.insert(lines_.begin() + at(where_it_shows(hooks, *place)), coordinator() + " request_stop");
    return true;
  }

  // Where a run of several steps went past a target.
  bool end_at_crossed_target(const std::vector<Json>& hooks) {
    if (!session_was_made()) {
      return false;
    }
    std::int64_t step = start();
    const std::int64_t first = step;
    std::size_t line = first_command_;
    for (const ExecutedStep& each : executed_steps(scenario_, expected_)) {
      if (each.phase != phase_ || each.afterwards) {
        continue;
      }
      const auto what = (*each.step)["do"].get<std::string>();
      if (what == "set_step") {
        step = (*each.step)["value"].get<std::int64_t>();
      }
      const Json& made = member(expected_["results"][each.result], "runs");
      const std::int64_t runs = made.is_number() ? made.get<std::int64_t>() : (what == "run" ? 1 : 0);
      for (std::int64_t run = 1; run <= runs; ++run) {
        const std::size_t begin = next_run(line);
        line = next_command(begin + 1);
        const std::int64_t before = step;
        step += moves(*each.step, begin, line) ? increment() : 0;
        for (std::size_t i = 0; i < hooks.size(); ++i) {
          const std::optional<std::int64_t> target = target_of(hooks[i], first);
          if (!target || step < *target) {
            continue;
          }
          if (before + 1 >= *target) {
            return false;  // the reference looks again so near to the target
          }
          stop_behind(hooks, i, begin, line);
          end_here(line, each.result + (what == "run" ? 1 : 0), what == "loop" ? run : 0, step);
          return true;
        }
      }
    }
    return false;
  }

 private:
  [[nodiscard]] std::int64_t increment() const {
    return member(scenario_, "graph").value("increment", std::int64_t{1});
  }
  [[nodiscard]] std::size_t next_command(std::size_t from) const {
    while (from < end_ && !starts_with(lines_[from], "> ")) {
      ++from;
    }
    return std::min(from, end_);
  }
  [[nodiscard]] std::size_t next_run(std::size_t from) const {
    while (from < end_ && lines_[from] != "> run") {
      ++from;
    }
    return std::min(from, end_);
  }
  [[nodiscard]] bool moves(const Json& step, std::size_t begin, std::size_t end) const {
    const bool trains = !has(step, "fetches") || step["fetches"].dump().find("train") != std::string::npos;
    return trains &&
           std::any_of(lines_.begin() + at(begin), lines_.begin() + at(end), [](const std::string& line) {
             return starts_with(line, "run S") && error_in(line).empty();
           });
  }
  static std::optional<std::int64_t> target_of(const Json& hook, std::int64_t first) {
    const Json& args = member(hook, "args");
    if (hook["type"] != "stop_at_step") {
      return std::nullopt;
    }
    const std::optional<std::int64_t> number = number_in(args, "num_steps");
    return number ? std::optional(first + *number) : number_in(args, "last_step");
  }
  // The hooks behind the one that asks see it in this run.
  void stop_behind(const std::vector<Json>& hooks, std::size_t place, std::size_t begin, std::size_t end) {
    const Lines later = recorders({{"hooks", hooks}}, place + 1);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = lines_[i].find(".after_run ");
      const bool is_later = word != std::string::npos &&
                            std::find(later.begin(), later.end(), lines_[i].substr(0, word)) != later.end();
      if (!is_later || contains(lines_[i], "stop_requested")) {
        continue;
      }
      const std::size_t step = lines_[i].find(" step=");
      const std::size_t behind =
          std::min(lines_[i].find(' ', step == std::string::npos ? word + 11 : step + 1), lines_[i].size());
      lines_[i].insert(behind, " stop_requested");
    }
  }
  void end_here(std::size_t line, std::size_t result, std::int64_t runs, std::int64_t step) {
    first_command_ = line;
    first_result_ = result;
    runs_before_ = runs;
    keeps_saves_ = true;
    step_ = step;
    leave_out_runs();
  }

  [[nodiscard]] bool session_was_made() const { return first_command_ < end_ && !session().empty(); }

  // Steps of the drive in their order: questions are answered, the first run or loop is not made.
  void leave_out_runs() {
    for (const ExecutedStep& step : executed_steps(scenario_, expected_)) {
      if (step.phase != phase_ || step.afterwards || step.result < first_result_) {
        continue;
      }
      Json& result = expected_["results"][step.result];
      const auto what = (*step.step)["do"].get<std::string>();
      if (what == "should_stop") {
        result = true;
      } else if (what == "loop") {
        leave_out_loop(result);
        return;
      } else if (what == "run" && refuses_runs_) {
        refuse_run(step);
        return;
      } else if (what != "run" && what != "set_step" && what != "advance_clock" && what != "finalized") {
        return;
      }
    }
  }

  void leave_out_loop(Json& result) {
    const std::int64_t made = has(result, "runs") ? result["runs"].get<std::int64_t>() : 0;
    result = {{"runs", runs_before_}, {"should_stop", true}};
    if (made == 0) {
      return;
    }
    std::size_t run = first_command_;
    for (std::int64_t i = runs_before_; i < made && run < end_ && lines_[run] == "> run"; ++i) {
      std::size_t next = run + 1;
      while (next < end_ && !starts_with(lines_[next], "> ")) {
        ++next;
      }
      erase(run, next);
    }
    nothing_was_run();
  }

  // The step has not moved, so there is nothing to save at the end.
  void nothing_was_run() {
    const std::string step = " step=" + std::to_string(start());
    for (std::size_t i = first_command_; i < end_; ++i) {
      std::string& line = lines_[i];
      const bool of_save = contains(line, ".before_save ") || contains(line, ".after_save ") ||
                           (starts_with(line, "raw ") && contains(line, " save "));
      if (of_save && !keeps_saves_) {
        forget_checkpoint(line);
        erase(i, i + 1);
        --i;
      } else if (const std::optional<std::int64_t> said = step_in(line)) {
        const std::string before = " step=" + std::to_string(*said);
        line.replace(line.find(before), before.size(), step);
      }
    }
    set_final_step();
  }

  void set_final_step() {
    if (member(expected_, "final_step").is_number() && phase_ + 1 == phases_of(scenario_).size()) {
      expected_["final_step"] = start();
    }
  }

  // A run that is asked for all the same is an error of the caller.
  void refuse_run(const ExecutedStep& step) {
    std::size_t run = first_command_;
    while (run < end_ && lines_[run] != "> run") {
      ++run;
    }
    expected_["results"][step.result] = {{"error", "Misuse"}};
    const bool leaves = is_block(*phases_of(scenario_)[phase_]) && !step.step->value("catch", false);
    if (!leaves) {
      std::size_t next = std::min(run + 1, end_);
      while (next < end_ && !starts_with(lines_[next], "> ")) {
        ++next;
      }
      erase(std::min(run + 1, end_), next);
      nothing_was_run();
      return;
    }
    forget_steps_after(step);
    erase(std::min(run + 1, end_), end_);
    const Lines leaving = {coordinator() + " request_stop", coordinator() + " join", "close " + session()};
    lines_.insert(lines_.begin() + at(end_), leaving.begin(), leaving.end());
    if (phase_ + 1 == phases_of(scenario_).size()) {
      expected_["raised"] = "Misuse";
      expected_["raised_in"] = "block";
    }
    set_final_step();
  }

  void forget_steps_after(const ExecutedStep& failed) {
    Json kept = Json::array();
    const std::size_t in_drive = drive_results();
    for (std::size_t i = 0; i < expected_["results"].size(); ++i) {
      if (i <= failed.result || i >= in_drive) {
        kept.push_back(expected_["results"][i]);
      }
    }
    expected_["results"] = kept;
  }

  // The place behind the last result of this phase's drive, as it was recorded.
  [[nodiscard]] std::size_t drive_results() const {
    const std::size_t phases = phases_of(scenario_).size();
    std::size_t others = 0;
    for (std::size_t i = phase_; i < phases; ++i) {
      const Json& phase = *phases_of(scenario_)[i];
      others += member(phase, "afterwards").size() + (i == phase_ ? 0 : member(phase, "drive").size());
    }
    return expected_["results"].size() - std::min(others, expected_["results"].size());
  }

  void erase(std::size_t from, std::size_t to) {
    lines_.erase(lines_.begin() + at(from), lines_.begin() + at(to));
    end_ -= to - from;
  }

  // One that was not made: its values, its files, its lines in the state file.
  void forget_checkpoint(const std::string& line) {
    if (!starts_with(line, "raw ")) {
      return;
    }
    const std::string name = line.substr(line.rfind(' ') + 1);
    const Json before = member(expected_, "checkpoints");
    for (const auto& [prefix, values] : before.items()) {
      static_cast<void>(values);
      if (prefix.ends_with("/" + name)) {
        expected_["checkpoints"].erase(prefix);
      }
    }
    if (has(expected_, "files")) {
      Json kept = Json::array();
      for (const Json& file : expected_["files"]) {
        if (!contains(file.get<std::string>(), "/" + name + ".")) {
          kept.push_back(file);
        }
      }
      expected_["files"] = kept;
    }
    if (has(expected_, "checkpoint_state")) {
      for (auto& [file, text] : expected_["checkpoint_state"].items()) {
        static_cast<void>(file);
        text = state_without(name, text.get<std::string>());
      }
    }
  }

  static std::string state_without(const std::string& name, const std::string& text) {
    std::string all;
    std::string newest;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      if (starts_with(line, "all_model_checkpoint_paths: ") && !contains(line, "/" + name + "\"")) {
        all += line + "\n";
        newest = line.substr(28);
      }
      begin = end + 1;
    }
    return contains(text, "/" + name + "\"") ? "model_checkpoint_path: " + newest + "\n" + all : text;
  }

  [[nodiscard]] std::int64_t start() const {
    if (step_) {
      return *step_;
    }
    // The constant steps of the graph `counter` are 5.
    const Json& odd = member(member(scenario_, "graph"), "step");
    if (odd.is_string() && starts_with(odd.get<std::string>(), "tensor")) {
      return 5;
    }
    for (std::size_t i = begin_; i < first_command_; ++i) {
      const std::size_t dash = lines_[i].rfind('-');
      if (contains(lines_[i], " restore ") && error_in(lines_[i]).empty() && dash != std::string::npos) {
        return std::stoll(lines_[i].substr(dash + 1));
      }
    }
    return 0;
  }

  // The hook whose target is reached, or whose listener wants the end, when it is told of the session.
  [[nodiscard]] std::optional<std::size_t> who_asks(const std::vector<Json>& hooks) {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      const Json& args = member(hooks[i], "args");
      const std::optional<std::int64_t> last = number_in(args, "last_step");
      if (hooks[i]["type"] == "stop_at_step" &&
          ((last && *last >= 0 && start() >= *last) || number_in(args, "num_steps") == 0)) {
        return i;
      }
      if (listener_asks(hooks[i])) {
        refuses_runs_ = false;
        return i;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool listener_asks(const Json& hook) const {
    const Json& listeners = member(member(hook, "args"), "listeners");
    return std::any_of(lines_.begin() + at(begin_), lines_.begin() + at(first_command_),
                       [&](const std::string& line) {
                         return contains(line, ".after_save ") && contains(line, " -> stop") &&
                                std::any_of(listeners.begin(), listeners.end(), [&](const Json& listener) {
                                  return starts_with(line, listener["name"].get<std::string>() + ".");
                                });
                       });
  }

  // Before the first recorder behind that hook is told.
  [[nodiscard]] std::size_t where_it_shows(const std::vector<Json>& hooks, std::size_t place) const {
    const Lines later = recorders({{"hooks", hooks}}, place + 1);
    for (std::size_t i = begin_; i < first_command_; ++i) {
      const std::string name = lines_[i].substr(0, lines_[i].find('.'));
      if (contains(lines_[i], ".after_create_session ") &&
          std::find(later.begin(), later.end(), name) != later.end()) {
        return i;
      }
    }
    return first_command_;
  }

  [[nodiscard]] std::string label(std::string (*in)(const std::string&)) const {
    for (std::size_t i = begin_; i < end_; ++i) {
      if (const std::string found = in(lines_[i]); !found.empty()) {
        return found;
      }
    }
    return {};
  }
  [[nodiscard]] std::string coordinator() const {
    const std::string found = label(coordinator_in);
    return found.empty() ? "K1" : found;
  }
  [[nodiscard]] std::string session() const { return label(session_in); }

  const Json& scenario_;
  Json& expected_;
  Lines& lines_;
  std::size_t phase_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t first_command_ = 0;
  // A target that is reached allows no run; who only wants the end leaves it to the caller.
  bool refuses_runs_ = true;
  // Where the end came later than before the first run.
  std::size_t first_result_ = 0;
  std::int64_t runs_before_ = 0;
  bool keeps_saves_ = false;
  std::optional<std::int64_t> step_;
};

// A stop that a step function asked for counts, in a block or not.
void count_stops_of_step_functions(const Json& scenario, Json& expected) {
  std::optional<std::size_t> stopped;
  for (const ExecutedStep& step : executed_steps(scenario, expected)) {
    const Json& script = member(*step.step, "script");
    Json& result = expected["results"][step.result];
    const bool asks = std::any_of(script.begin(), script.end(),
                                  [](const Json& action) { return has(action, "request_stop"); });
    if (asks && has(result, "error") && result["error"] == "STOP_ITERATION") {
      stopped = step.phase;
    } else if (stopped == step.phase && (*step.step)["do"] == "should_stop") {
      result = true;
    }
  }
}

// What a change of one phase changes.
template <typename Change>
void change_phases(const Json& scenario, Json& expected, const Change& change) {
  Lines lines = trace_of(expected);
  if (lines.empty()) {
    return;
  }
  const std::vector<std::vector<Json>> hooks = hooks_of_phases(scenario);
  bool changed = false;
  for (std::size_t phase = 0; phase < hooks.size(); ++phase) {
    FirstRun runs(scenario, expected, lines, phase);
    changed = change(runs, hooks[phase]) || changed;
  }
  if (changed) {
    set_trace(expected, lines);
  }
}

}  // namespace

void past_the_target(const Json& scenario, Json& expected) {
  change_phases(scenario, expected, [](FirstRun& runs, const std::vector<Json>& hooks) {
    return runs.end_at_crossed_target(hooks);
  });
}

void at_the_target(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                   Json& /*observed*/) {
  if (!has(scenario.json, "session")) {
    return;
  }
  count_stops_of_step_functions(scenario.json, expected);
  change_phases(scenario.json, expected,
                [](FirstRun& runs, const std::vector<Json>& hooks) { return runs.leave_out(hooks); });
}

}  // namespace fermata::conformance
