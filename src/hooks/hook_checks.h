// What several hooks check in the same way.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "fermata/clock.h"
#include "fermata/hooks/second_or_step_timer.h"
#include "fermata/session_run_args.h"
#include "fermata/step.h"

namespace fermata::hooks {

// An interval under the name that the hook's options give it.
struct NamedSteps {
  std::string_view name;
  std::optional<Step> steps;
};
struct NamedSeconds {
  std::string_view name;
  std::optional<double> seconds;
};

// Throws: Error kInvalidArgument for both, neither, or a negative interval, in the names of `owner`'s
// options.
void require_one_interval(std::string_view owner, const NamedSteps& steps, const NamedSeconds& seconds);

// A timer over such an interval. Throws: as above.
[[nodiscard]] SecondOrStepTimer make_timer(std::string_view owner, const NamedSteps& steps,
                                           const NamedSeconds& seconds, std::shared_ptr<Clock> clock);

// Throws: Misuse if the graph has no global step.
void require_global_step(const Graph& graph, std::string_view hook);

// The tensor that a hook is to look at: a name without ":" means the only output of that operation.
// Throws: Error kNotFound for an unknown name; kInvalidArgument for an operation with no or several outputs,
// or for a handle of another graph.
[[nodiscard]] Output tensor_of(const Graph& graph, const Fetch& fetch, std::string_view hook);

[[nodiscard]] inline std::shared_ptr<Clock> clock_or_system(std::shared_ptr<Clock> clock) {
  return clock ? std::move(clock) : Clock::system();
}

}  // namespace fermata::hooks
