#include "cli/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view expected, std::string_view found) {
  throw UsageError(fmt::format("{}: expected {}, found '{}'", option, expected, found));
}

template <typename T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional<T>(value) : std::nullopt;
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 7> kUnits = {
    {{"ms", 0.001}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}}};

constexpr std::array<Unit, 5> kSizeUnits = {{{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};

// Takes one "1.5h" off the front. Nothing if there is none.
std::optional<double> take_part(std::string_view& text, std::span<const Unit> units) {
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
  const std::string_view name = text.substr(0, letters);
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == units.end()) {
    return std::nullopt;
  }
  text.remove_prefix(letters);
  return number * unit->factor;
}

std::optional<double> duration_seconds(std::string_view text) {
  double sum = 0;
  do {
    const std::optional<double> part = take_part(text, kUnits);
    if (!part) {
      return std::nullopt;
    }
    sum += *part;
  } while (!text.empty());
  return sum;
}

// Larger than any memory, and safely inside what 64 bits can count.
constexpr double kLargestSize = 1e18;

// Longer than any run, and safely inside what nanoseconds can count.
constexpr double kLongestSeconds = 100.0 * 365 * 86400;

}  // namespace

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t minimum) {
  const auto value = whole_number<std::int64_t>(text);
  if (!value || *value < minimum) {
    refuse(option, fmt::format("a whole number of at least {}", minimum), text);
  }
  return *value;
}

std::uint64_t parse_seed(std::string_view option, std::string_view text) {
  const auto value = whole_number<std::uint64_t>(text);
  if (!value) {
    refuse(option, "a seed, a whole number of at least 0", text);
  }
  return *value;
}

std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text) {
  const std::optional<double> seconds = duration_seconds(text);
  if (!seconds || *seconds <= 0 || *seconds > kLongestSeconds) {
    refuse(option, "a time such as 90s, 30m, 2h or 1h30m", text);
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
}

std::uint64_t parse_size(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> bytes = take_part(rest, kSizeUnits);
  if (!bytes || !rest.empty() || *bytes > kLargestSize) {
    refuse(option, "a size such as 500MB or 1.5GB", text);
  }
  return static_cast<std::uint64_t>(*bytes);
}

Interval parse_interval(std::string_view option, std::string_view text) {
  if (const auto steps = whole_number<Step>(text); steps && *steps > 0) {
    return Interval::steps(*steps);
  }
  const std::optional<double> seconds = duration_seconds(text);
  if (!seconds || *seconds <= 0 || *seconds > kLongestSeconds) {
    refuse(option, "a number of steps such as 500, or a time such as 60s or 10m", text);
  }
  return Interval::seconds(*seconds);
}

std::vector<std::string> parse_names(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    names.emplace_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  if (std::find(names.begin(), names.end(), std::string()) != names.end()) {
    refuse(option, "names with commas between them", text);
  }
  return names;
}

std::pair<std::string, std::string> parse_assignment(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    refuse(option, "NAME=VALUE", text);
  }
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

BestChoice parse_best(std::string_view option, std::string_view text) {
  constexpr std::string_view kMax = ":max";
  constexpr std::string_view kMin = ":min";
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::optional<int> count = whole_number<int>(text.substr(0, colon));
  std::string_view name = text.substr(std::min(colon + 1, text.size()));
  const BestValue best = name.ends_with(kMax) ? BestValue::kHighest : BestValue::kLowest;
  if (name.ends_with(kMax) || name.ends_with(kMin)) {
    name.remove_suffix(kMax.size());
  }
  if (!count || *count < 1 || name.empty()) {
    refuse(option, "N:NAME, N:NAME:min or N:NAME:max with N of at least 1", text);
  }
  return {*count, std::string(name), best};
}

std::size_t parse_choice(std::string_view option, std::string_view text,
                         const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) {
    refuse(option, fmt::format("{}", fmt::join(choices, ", ")), text);
  }
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace fermata::cli
