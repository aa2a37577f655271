// Setters of the usual kinds, for the tables of options. Each keeps a reference to the field it sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/parse.h"

namespace fermata::cli {

[[nodiscard]] inline SetOption set_text(std::string& field) {
  return [&field](const std::string&, const std::string& value) { field = value; };
}

[[nodiscard]] inline SetOption set_true(bool& field) {
  return [&field](const std::string&, const std::string&) { field = true; };
}

[[nodiscard]] inline SetOption set_names(std::vector<std::string>& field) {
  return
      [&field](const std::string& option, const std::string& value) { field = parse_names(option, value); };
}

// `field` is a std::int64_t or a std::optional of one.
template <typename Field>
[[nodiscard]] SetOption set_integer(Field& field, std::int64_t minimum) {
  return [&field, minimum](const std::string& option, const std::string& value) {
    field = parse_integer(option, value, minimum);
  };
}

// More than an int holds is its largest value.
[[nodiscard]] inline SetOption set_int(int& field) {
  return [&field](const std::string& option, const std::string& value) {
    const std::int64_t number = parse_integer(option, value, 0);
    field = static_cast<int>(std::min<std::int64_t>(number, std::numeric_limits<int>::max()));
  };
}

// `field` is a std::uint64_t or a std::optional of one.
template <typename Field>
[[nodiscard]] SetOption set_size(Field& field) {
  return [&field](const std::string& option, const std::string& value) { field = parse_size(option, value); };
}

// A value out of a fixed list, each with its word.
template <typename Enum>
[[nodiscard]] SetOption set_choice(Enum& field, std::vector<std::pair<std::string, Enum>> choices) {
  return [&field, choices = std::move(choices)](const std::string& option, const std::string& value) {
    std::vector<std::string> words;
    for (const auto& choice : choices) {
      words.push_back(choice.first);
    }
    field = choices[parse_choice(option, value, words)].second;
  };
}

}  // namespace fermata::cli
