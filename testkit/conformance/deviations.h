// Where Fermata differs from the recordings on purpose, and what is expected instead.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/scenario.h"

namespace fermata::conformance {

// A whole kind of difference. What the rule does to one side it does to the other, or it says what Fermata
// does instead; it never leaves a scenario unchecked.
struct Rule {
  std::string_view name;
  // Item of docs/differences.md.
  std::string_view item;
  std::string_view reason;
  // Changes what is expected of this scenario, and, where both sides are to be read another way, what was
  // observed.
  std::function<void(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed)>
      apply;
  // Lines that a session of Fermata has no counterpart for. They are left out on both sides, and a scenario
  // that differs in nothing else does not count as a deviation.
  bool only_reading = false;
};

[[nodiscard]] const std::vector<Rule>& deviation_rules();

// One scenario with an expectation of its own: members of `expect` that are replaced, as JSON.
struct SingleDeviation {
  std::string_view id;
  // Empty: on all engines.
  std::string_view engine;
  std::string_view item;
  std::string_view reason;
  std::string_view expect;
};

[[nodiscard]] const std::vector<SingleDeviation>& single_deviations();

}  // namespace fermata::conformance
