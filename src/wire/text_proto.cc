#include "wire/text_proto.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace fermata::wire {
namespace {

// Deeper ones are no state file, and recursion needs a bound.
constexpr int kDeepestMessage = 100;

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Part of a number or of a word like "true": everything that cannot end a value.
bool is_scalar(char c) noexcept { return is_word(c) || c == '.' || c == '+' || c == '-'; }

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool is_octal(char c) noexcept { return c >= '0' && c <= '7'; }

std::optional<unsigned> hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<unsigned>(c - 'a' + 10);
  }
  if (c >= 'A' && c <= 'F') {
    return static_cast<unsigned>(c - 'A' + 10);
  }
  return std::nullopt;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto continuation = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3fU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (code >> 6U)));
    continuation(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | (code >> 12U)));
    continuation(6);
    continuation(0);
  } else {
    out.push_back(static_cast<char>(0xf0U | (code >> 18U)));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::variant<std::vector<TextField>, TextError> run() {
    std::vector<TextField> fields;
    skip_space();
    while (!at_end()) {
      TextField field;
      if (!read_field(field, 0)) {
        return TextError{line_, expected_};
      }
      if (!field.name.empty()) {
        fields.push_back(std::move(field));
      }
    }
    return fields;
  }

 private:
  [[nodiscard]] bool at_end() const noexcept { return text_.empty(); }
  [[nodiscard]] char front() const noexcept { return at_end() ? '\0' : text_.front(); }

  char take() noexcept {
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '\n') {
      ++line_;
    }
    return c;
  }

  bool take_if(char wanted) noexcept {
    if (at_end() || front() != wanted) {
      return false;
    }
    take();
    return true;
  }

  bool fail(std::string expected) {
    expected_ = std::move(expected);
    return false;
  }

  void skip_space() noexcept {
    while (!at_end()) {
      if (is_space(front())) {
        take();
      } else if (front() == '#') {
        while (!at_end() && front() != '\n') {
          take();
        }
      } else {
        return;
      }
    }
  }

  // One field with what separates it from the next. `field.name` stays empty for one that is left out.
  bool read_field(TextField& field, int depth) {
    std::string name;
    if (!read_name(name)) {
      return false;
    }
    const bool colon = take_if(':');
    skip_space();
    bool kept = false;
    if (front() == '"' || front() == '\'') {
      if (!colon) {
        return fail("':' after " + name);
      }
      field.is_string = kept = true;
      if (!read_string(field.value)) {
        return false;
      }
    } else if (colon && !at_end() && is_scalar(front())) {
      field.value = read_scalar();
      kept = true;
    } else if (!skip_compound(colon, depth)) {
      return false;
    }
    skip_space();
    if (take_if(',') || take_if(';')) {
      skip_space();
    }
    if (kept) {
      field.name = std::move(name);
    }
    return true;
  }

  // A name, or the name of an extension in brackets; with the space after it.
  bool read_name(std::string& name) {
    if (take_if('[')) {
      while (!at_end() && front() != ']' && front() != '\n') {
        name.push_back(take());
      }
      if (!take_if(']')) {
        return fail("']'");
      }
    } else {
      while (!at_end() && is_word(front())) {
        name.push_back(take());
      }
    }
    skip_space();
    return !name.empty() || fail("the name of a field");
  }

  std::string read_scalar() {
    std::string value;
    while (!at_end() && is_scalar(front())) {
      value.push_back(take());
    }
    return value;
  }

  // Pieces that stand side by side are one string.
  bool read_string(std::string& value) {
    while (front() == '"' || front() == '\'') {
      const char quote = take();
      while (!at_end() && front() != quote) {
        if (front() == '\n') {
          return fail("the end of a string before the end of the line");
        }
        const char c = take();
        if (c != '\\') {
          value.push_back(c);
        } else if (!read_escape(value)) {
          return false;
        }
      }
      if (!take_if(quote)) {
        return fail("the end of a string");
      }
      skip_space();
    }
    return true;
  }

  bool read_escape(std::string& value) {
    static constexpr std::string_view kNames = "abfnrtv\\'\"?";
    static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"?";
    if (at_end()) {
      return fail("an escape");
    }
    if (is_octal(front())) {
      return read_octal(value);
    }
    const char name = take();
    if (const std::size_t at = kNames.find(name); at != std::string_view::npos) {
      value.push_back(kMeanings[at]);
      return true;
    }
    switch (name) {
      case 'x':
      case 'X':
        return read_hex(value, 1, 2, false);
      case 'u':
        return read_hex(value, 4, 4, true);
      case 'U':
        return read_hex(value, 8, 8, true);
      default:
        return fail("a known escape");
    }
  }

  bool read_octal(std::string& value) {
    unsigned number = 0;
    for (int digits = 0; digits < 3 && !at_end() && is_octal(front()); ++digits) {
      number = number * 8 + static_cast<unsigned>(take() - '0');
    }
    value.push_back(static_cast<char>(static_cast<unsigned char>(number)));
    return true;
  }

  bool read_hex(std::string& value, int fewest, int most, bool is_unicode) {
    std::uint32_t number = 0;
    int digits = 0;
    for (; digits < most; ++digits) {
      const std::optional<unsigned> digit = hex_digit(front());
      if (!digit) {
        break;
      }
      number = number * 16 + *digit;
      take();
    }
    if (digits < fewest || (is_unicode && number > 0x10ffff)) {
      return fail("hexadecimal digits");
    }
    if (is_unicode) {
      append_utf8(value, number);
    } else {
      value.push_back(static_cast<char>(static_cast<unsigned char>(number)));
    }
    return true;
  }

  // A message in braces or angle brackets, or a list.
  bool skip_compound(bool colon, int depth) {
    if (depth > kDeepestMessage) {
      return fail("fewer levels");
    }
    if (take_if('{')) {
      return skip_message('}', depth);
    }
    if (take_if('<')) {
      return skip_message('>', depth);
    }
    return colon && take_if('[') ? skip_list(depth) : fail("a value");
  }

  bool skip_message(char end, int depth) {
    skip_space();
    while (!take_if(end)) {
      TextField ignored;
      if (at_end()) {
        return fail(std::string(1, end));
      }
      if (!read_field(ignored, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool skip_list(int depth) {
    skip_space();
    while (!take_if(']')) {
      std::string ignored;
      if (front() == '"' || front() == '\'') {
        if (!read_string(ignored)) {
          return false;
        }
      } else if (!at_end() && is_scalar(front())) {
        read_scalar();
      } else if (!skip_compound(true, depth + 1)) {
        return false;
      }
      skip_space();
      if (!take_if(',') && front() != ']') {
        return fail("',' or ']'");
      }
      skip_space();
    }
    return true;
  }

  std::string_view text_;
  std::size_t line_ = 1;
  std::string expected_;
};

}  // namespace

std::variant<std::vector<TextField>, TextError> parse_text_fields(std::string_view text) {
  return Parser(text).run();
}

}  // namespace fermata::wire
