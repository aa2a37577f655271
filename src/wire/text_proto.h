// Protobuf's text form, as far as a flat message needs it: the state file of checkpoints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fermata::wire {

struct TextField {
  std::string name;
  // The text between quotes without its escapes, or a number as it is written. Other values (words, messages,
  // lists) are read over and left out.
  std::string value;
  bool is_string = false;
};

// Where a text stops being one, and why.
struct TextError {
  std::size_t line = 0;
  std::string expected;
};

// Reads quotes of both kinds, escapes, adjacent pieces, comments, several fields on a line, separators;
// fields with a message or a list in them are skipped whole.
[[nodiscard]] std::variant<std::vector<TextField>, TextError> parse_text_fields(std::string_view text);

// `name: "value"` and a line end, escaped as protobuf does, UTF-8 left as it is.
void append_text_field(std::string& out, std::string_view name, std::string_view value);
// `name: 1700000000.5` and a line end: the shortest digits that read back the same, with a point.
void append_text_field(std::string& out, std::string_view name, double value);

}  // namespace fermata::wire
