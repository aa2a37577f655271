// The kinds of scenario. A kind is a member of the scenario ("timer", "saver" …) and a function that plays
// it.
#pragma once

#include <string>

#include "conformance/engine.h"
#include "conformance/scenario_threads.h"
#include "conformance/world.h"

namespace fermata::conformance {

struct Play {
  const Json& scenario;
  const Engine& engine;
  World& world;
  ScenarioThreads& threads;
};

// Kind of the error that came out in the end, and where; empty: none.
struct Outcome {
  std::string raised;
  std::string raised_in;
};

// Monitored sessions, in phases: what has no kind of its own.
[[nodiscard]] Outcome play_phases(Play& play);

// Classes by themselves.
[[nodiscard]] Outcome play_timer(Play& play);
[[nodiscard]] Outcome play_coordinator(Play& play);
[[nodiscard]] Outcome play_manager(Play& play);
[[nodiscard]] Outcome play_queue_runner(Play& play);
[[nodiscard]] Outcome play_step_functions(Play& play);
[[nodiscard]] Outcome play_hooked(Play& play);
[[nodiscard]] Outcome play_saver(Play& play);
[[nodiscard]] Outcome play_scaffold(Play& play);
[[nodiscard]] Outcome play_state(Play& play);
[[nodiscard]] Outcome play_writer(Play& play);

// Calls `act` for each step of the drive and notes results and errors.
template <typename Act>
void note_calls(Play& play, const Act& act);

}  // namespace fermata::conformance

#include "conformance/errors.h"

namespace fermata::conformance {

template <typename Act>
void note_calls(Play& play, const Act& act) {
  for (const Json& step : play.scenario["drive"]) {
    try {
      play.world.results.push_back(act(step));
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      play.world.results.push_back({{"error", kind_of(std::current_exception())}});
    }
  }
}

}  // namespace fermata::conformance
