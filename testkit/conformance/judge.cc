#include "conformance/judge.h"

#include <algorithm>
#include <optional>

namespace fermata::conformance {
namespace {

constexpr std::size_t kNeighbours = 3;

std::vector<std::string> lines_of(const Json& side) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : side.items()) {
    if (value.is_array()) {
      for (const Json& element : value) {
        lines.push_back(key + ": " + (element.is_string() ? element.get<std::string>() : text_of(element)));
      }
    } else if (value.is_object()) {
      for (const auto& [name, element] : value.items()) {
        lines.push_back(key + " " + name + ": " + text_of(element));
      }
    } else {
      lines.push_back(key + ": " + text_of(value));
    }
  }
  return lines;
}

std::string excerpt(const std::vector<std::string>& lines, std::size_t at, const char* mark) {
  std::string text;
  for (std::size_t i = at; i < std::min(lines.size(), at + kNeighbours); ++i) {
    text += std::string("    ") + mark + " " + lines[i] + "\n";
  }
  return text.empty() ? std::string("    ") + mark + " (nothing more)\n" : text;
}

Json in_order(const Json& side) {
  Json ordered = Json::object();
  for (const char* key : {"trace", "results", "raised", "raised_in", "sessions_created", "final_step", "log",
                          "files", "checkpoint_state", "checkpoints", "events"}) {
    if (has(side, key)) {
      ordered[key] = side[key];
    }
  }
  return ordered;
}

// Nothing if both say the same.
std::optional<std::string> difference(const Json& expected, const Json& observed) {
  const std::vector<std::string> wanted = lines_of(in_order(expected));
  const std::vector<std::string> found = lines_of(in_order(observed));
  if (wanted == found) {
    return std::nullopt;
  }
  const auto [a, b] = std::mismatch(wanted.begin(), wanted.end(), found.begin(), found.end());
  const auto at = static_cast<std::size_t>(a - wanted.begin());
  std::string text;
  for (std::size_t i = at - std::min(at, kNeighbours); i < at; ++i) {
    text += "      " + wanted[i] + "\n";
  }
  return text + excerpt(wanted, at, "-") + excerpt(found, at, "+");
}

const SingleDeviation* single_of(const Scenario& scenario, std::string_view engine) {
  for (const SingleDeviation& single : single_deviations()) {
    if (single.id == scenario.id && (single.engine.empty() || single.engine == engine)) {
      return &single;
    }
  }
  return nullptr;
}

// Both sides after all rules but `left_out`.
std::optional<std::string> difference_by_rules(const Scenario& scenario, std::string_view engine,
                                               Json expected, Json observed, const Rule* left_out) {
  for (const Rule& rule : deviation_rules()) {
    if (&rule != left_out) {
      rule.apply(scenario, engine, expected, observed);
    }
  }
  return difference(expected, observed);
}

Judgement judge_single(const Scenario& scenario, std::string_view engine, const Json& observed,
                       const SingleDeviation& single) {
  const Json& recorded = scenario.json["expect"];
  if (!difference_by_rules(scenario, engine, recorded, observed, nullptr)) {
    return {Ruling::kFailed,
            "    this single deviation does not differ from the recording any more: take it out\n",
            {}};
  }
  Json expected = recorded;
  const Json own = Json::parse(single.expect);
  for (const auto& [key, value] : own.items()) {
    expected[key] = value;
  }
  if (member(expected, "raised").is_null()) {
    expected.erase("raised_in");
  }
  const auto text = difference_by_rules(scenario, engine, expected, observed, nullptr);
  return text ? Judgement{Ruling::kFailed, "    (with the expectation of its own)\n" + *text, {}}
              : Judgement{Ruling::kDeviation, {}, {"single"}};
}

}  // namespace

Judgement judge(const Scenario& scenario, std::string_view engine, const Json& observed) {
  if (const SingleDeviation* single = single_of(scenario, engine)) {
    return judge_single(scenario, engine, observed, *single);
  }
  const Json& expected = scenario.json["expect"];
  const auto text = difference_by_rules(scenario, engine, expected, observed, nullptr);
  if (text) {
    return {Ruling::kFailed, *text, {}};
  }
  Judgement judgement;
  for (const Rule& rule : deviation_rules()) {
    if (difference_by_rules(scenario, engine, expected, observed, &rule)) {
      judgement.rules.emplace_back(rule.name);
      judgement.ruling = rule.only_reading ? judgement.ruling : Ruling::kDeviation;
    }
  }
  return judgement;
}

}  // namespace fermata::conformance
