#include "conformance/deviations.h"

namespace fermata::conformance {
namespace {

template <typename Drop>
void drop_lines(Json& side, const Drop& drop) {
  if (!has(side, "trace")) {
    return;
  }
  Json kept = Json::array();
  for (const Json& line : side["trace"]) {
    if (!drop(line.get<std::string>())) {
      kept.push_back(line);
    }
  }
  side["trace"] = kept;
}

void no_step_reads(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& observed) {
  const auto is_read = [](const std::string& line) {
    return line.rfind("raw ", 0) == 0 && line.find(" read_step = ") != std::string::npos;
  };
  drop_lines(expected, is_read);
  drop_lines(observed, is_read);
}

}  // namespace

const std::vector<Rule>& deviation_rules() {
  static const std::vector<Rule> kRules = {
      {"step reads", "3",
       "The step after a run comes with the run, so it is not read again near a target or a boundary, and it is "
       "read once when a session is made.",
       no_step_reads, true},
  };
  return kRules;
}

const std::vector<SingleDeviation>& single_deviations() {
  static const std::vector<SingleDeviation> kSingles = {};
  return kSingles;
}

}  // namespace fermata::conformance
