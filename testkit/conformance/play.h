// Plays one scenario on an engine.
#pragma once

#include "conformance/engine.h"
#include "conformance/scenario.h"

namespace fermata::conformance {

// What was observed, in the form of a scenario's `expect`.
// Throws: NotExpressible.
[[nodiscard]] Json play(const Scenario& scenario, const Engine& engine);

}  // namespace fermata::conformance
