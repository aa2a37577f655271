#include "conformance/executed_steps.h"

#include <string>

#include "conformance/trace_edit.h"

namespace fermata::conformance {
namespace {

// Whether the session of this phase could not be made, so that no step was tried.
bool had_no_session(const Json& expected, std::size_t phase, std::size_t phases) {
  std::string in;
  if (phase + 1 == phases) {
    const Json& place = member(expected, "raised_in");
    in = place.is_string() ? place.get<std::string>() : std::string();
  } else {
    std::string before;
    for (const std::string& line : trace_of(expected)) {
      if (line == "phase " + std::to_string(phase + 2)) {
        in = before;
      }
      before = line;
    }
  }
  return in.find("constructor") != std::string::npos;
}

}  // namespace

std::vector<const Json*> phases_of(const Json& scenario) {
  std::vector<const Json*> phases = {&scenario};
  for (const Json& phase : member(scenario, "then")) {
    phases.push_back(&phase);
  }
  return phases;
}

bool is_block(const Json& phase) {
  const Json& session = member(phase, "session");
  return session.is_object() && session.value("with", true);
}

std::vector<std::vector<Json>> hooks_of_phases(const Json& scenario) {
  std::vector<std::vector<Json>> all;
  for (const Json* phase : phases_of(scenario)) {
    const Json& given = member(*phase, "hooks");
    if (given == "same" && !all.empty()) {
      all.push_back(all.back());
      continue;
    }
    std::vector<Json> hooks(given.begin(), given.end());
    for (const Json& again : member(*phase, "repeat_hooks")) {
      hooks.push_back(hooks.at(again.get<std::size_t>()));
    }
    all.push_back(std::move(hooks));
  }
  return all;
}

std::vector<ExecutedStep> executed_steps(const Json& scenario, const Json& expected) {
  std::vector<ExecutedStep> steps;
  const std::vector<const Json*> phases = phases_of(scenario);
  const Json& results = member(expected, "results");
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    if (had_no_session(expected, phase, phases.size())) {
      continue;
    }
    for (const Json& step : member(*phases[phase], "drive")) {
      if (steps.size() == results.size()) {
        return steps;
      }
      steps.push_back({phase, &step, steps.size(), false});
      if (is_block(*phases[phase]) && has(results[steps.size() - 1], "error") &&
          !step.value("catch", false)) {
        break;
      }
    }
    for (const Json& step : member(*phases[phase], "afterwards")) {
      if (steps.size() == results.size()) {
        return steps;
      }
      steps.push_back({phase, &step, steps.size(), true});
    }
  }
  return steps;
}

}  // namespace fermata::conformance
