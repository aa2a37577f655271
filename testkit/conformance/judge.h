// Compares what was observed with what is expected, deviations included.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/deviations.h"
#include "conformance/scenario.h"

namespace fermata::conformance {

enum class Ruling { kPassed, kFailed, kDeviation, kNotExpressible };

struct Judgement {
  Ruling ruling = Ruling::kPassed;
  // The first difference with its neighbours, or the reason; empty if all is well.
  std::string text;
  // Names of the rules that made the difference.
  std::vector<std::string> rules;
};

[[nodiscard]] Judgement judge(const Scenario& scenario, std::string_view engine, const Json& observed);

}  // namespace fermata::conformance
