// Values of options, from text. Each function throws UsageError that names the option, what was expected and
// what was found.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/interval.h"
#include "fermata/saver.h"

namespace fermata::cli {

[[nodiscard]] std::int64_t parse_integer(std::string_view option, std::string_view text,
                                         std::int64_t minimum);

[[nodiscard]] std::uint64_t parse_seed(std::string_view option, std::string_view text);

// "2h", "90s", "1h30m", "1.5h", "250ms"; longer than nothing.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text);

// "500MB", "1.5GB", "64KB", "1000B" in bytes: units of a thousand.
[[nodiscard]] std::uint64_t parse_size(std::string_view option, std::string_view text);

// A number of steps ("500") or a duration ("60s").
[[nodiscard]] Interval parse_interval(std::string_view option, std::string_view text);

// "a,b" as two names; none may be empty.
[[nodiscard]] std::vector<std::string> parse_names(std::string_view option, std::string_view text);

// "NAME=VALUE", cut at the first equals sign; NAME may not be empty.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                                   std::string_view text);

// "3:NAME", "3:NAME:min" or "3:NAME:max"; NAME may have a colon in it ("loss:0").
struct BestChoice {
  int count = 0;
  std::string name;
  BestValue best = BestValue::kLowest;
};
[[nodiscard]] BestChoice parse_best(std::string_view option, std::string_view text);

// The place of `text` in `choices`.
[[nodiscard]] std::size_t parse_choice(std::string_view option, std::string_view text,
                                       const std::vector<std::string>& choices);

}  // namespace fermata::cli
