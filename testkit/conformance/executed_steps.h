// Which steps of a scenario were made, and where their results are: for the rules of what is expected
// instead.
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/json.h"

namespace fermata::conformance {

struct ExecutedStep {
  // 0: the scenario itself; 1 and more: its `then`.
  std::size_t phase;
  const Json* step;
  // Its place in `results`.
  std::size_t result;
  bool afterwards;
};

// The parts of a scenario: itself, then each of `then`.
[[nodiscard]] std::vector<const Json*> phases_of(const Json& scenario);
// Whether the drive of a phase is a with-block.
[[nodiscard]] bool is_block(const Json& phase);
// The hooks of each phase: "same" stands for those of the phase before, and `repeat_hooks` are there twice.
[[nodiscard]] std::vector<std::vector<Json>> hooks_of_phases(const Json& scenario);

// In the order of the results. A step in a block that failed is the last one of its drive.
[[nodiscard]] std::vector<ExecutedStep> executed_steps(const Json& scenario, const Json& expected);

}  // namespace fermata::conformance
