#include "conformance/play.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

#include "conformance/kinds.h"
#include "conformance/leftovers.h"
#include "conformance/log_words.h"

namespace fermata::conformance {
namespace {

using Player = Outcome (*)(Play&);

constexpr std::pair<const char*, Player> kPlayers[] = {
    {"timer", play_timer},
    {"coordinator", play_coordinator},
    {"hooked", play_hooked},
    {"manager", play_manager},
    {"queue_runner", play_queue_runner},
    {"step_functions", play_step_functions},
    {"saver", play_saver},
    {"scaffold_alone", play_scaffold},
    {"state", play_state},
    {"writer", play_writer},
    {"session", play_phases},
};

// An empty folder of the scenario's own, which is the current one while it is played.
class ScenarioFolder {
 public:
  ScenarioFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "fermata_scenario_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder could be made: " + name);
    }
    path_ = std::filesystem::canonical(name);
    std::filesystem::current_path(path_);
  }
  ~ScenarioFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  ScenarioFolder(const ScenarioFolder&) = delete;
  ScenarioFolder& operator=(const ScenarioFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

Json observed(const Scenario& scenario, const World& world, const Outcome& outcome, const LogWords& log) {
  Json expect;
  if (!world.trace.empty() && !scenario.json.value("omit_trace", false)) {
    expect["trace"] = world.trace;
  }
  expect["results"] = world.results;
  expect["raised"] = outcome.raised.empty() ? Json() : Json(outcome.raised);
  if (!outcome.raised.empty()) {
    expect["raised_in"] = outcome.raised_in;
  }
  if (has(scenario.json, "session")) {
    expect["sessions_created"] = world.sessions;
    expect["final_step"] = world.final_step;
  }
  flush_events(world.folder());
  for (const Json& wanted : member(scenario.json, "record")) {
    if (wanted == "log") {
      expect["log"] = log.lines(world);
    } else if (wanted == "files") {
      expect["files"] = files_in(world.folder());
    } else if (wanted == "state") {
      expect["checkpoint_state"] = states_in(world);
    } else if (wanted == "checkpoints") {
      expect["checkpoints"] = checkpoints_in(world.folder());
    } else if (wanted == "events") {
      expect["events"] = events_in(world);
    }
  }
  return expect;
}

}  // namespace

Json play(const Scenario& scenario, const Engine& engine) {
  const ScenarioFolder folder;
  const LogWords log;
  World world(scenario.json, folder.path());
  ScenarioThreads threads;
  Play parts{scenario.json, engine, world, threads};
  for (const auto& [kind, player] : kPlayers) {
    if (has(scenario.json, kind)) {
      const Outcome outcome = player(parts);
      Json noted = observed(scenario, world, outcome, log);
      threads.release();
      world.close_unseen();
      return noted;
    }
  }
  throw NotExpressible("a scenario of an unknown kind");
}

}  // namespace fermata::conformance
