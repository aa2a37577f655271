// SecondOrStepTimer by itself.
#include <optional>

#include "conformance/kinds.h"
#include "conformance/values.h"
#include "fermata/hooks/second_or_step_timer.h"

namespace fermata::conformance {
namespace {

Json act(SecondOrStepTimer& timer, World& world, const Json& step) {
  const auto what = step["do"].get<std::string>();
  if (what == "advance_clock") {
    world.advance(step["seconds"].get<double>());
    return nullptr;
  }
  if (what == "should_trigger") {
    return timer.should_trigger_for_step(step["step"].get<Step>());
  }
  if (what == "update") {
    const SecondOrStepTimer::Elapsed elapsed = timer.update_last_triggered_step(step["step"].get<Step>());
    return Json::array(
        {elapsed.seconds ? number(*elapsed.seconds) : Json(), elapsed.steps ? Json(*elapsed.steps) : Json()});
  }
  if (what == "last") {
    const std::optional<Step> last = timer.last_triggered_step();
    return last ? Json(*last) : Json();
  }
  timer.reset();
  return nullptr;
}

}  // namespace

Outcome play_timer(Play& play) {
  const Json& args = play.scenario["timer"];
  SecondOrStepTimer::Options options;
  options.clock = play.world.clock;
  if (!member(args, "every_secs").is_null()) {
    options.every_secs = args["every_secs"].get<double>();
  }
  if (!member(args, "every_steps").is_null()) {
    options.every_steps = args["every_steps"].get<Step>();
  }
  std::optional<SecondOrStepTimer> timer;
  try {
    timer.emplace(options);
  } catch (...) {
    return {kind_of(std::current_exception()), "constructor"};
  }
  note_calls(play, [&](const Json& step) { return act(*timer, play.world, step); });
  return {};
}

}  // namespace fermata::conformance
