#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "wire/text_proto.h"

namespace fermata::wire {
namespace {

// What stands behind the backslash, if the character needs one.
std::optional<char> escape_of(char c) noexcept {
  switch (c) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '"':
    case '\'':
    case '\\':
      return c;
    default:
      return std::nullopt;
  }
}

bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

void append_text_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": \"");
  for (const char c : value) {
    if (const std::optional<char> escape = escape_of(c)) {
      out.append({'\\', *escape});
    } else if (is_control(c)) {
      const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
      out.append({'\\', static_cast<char>('0' + (byte >> 6U)), static_cast<char>('0' + ((byte >> 3U) & 7U)),
                  static_cast<char>('0' + (byte & 7U))});
    } else {
      out.push_back(c);
    }
  }
  out.append("\"\n");
}

void append_text_field(std::string& out, std::string_view name, double value) {
  // Room for the longest number that is written without exponent, and for any with one.
  std::array<char, 64> digits{};
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format).ptr;
  const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out.append(name).append(": ").append(number);
  if (plain && number.find('.') == std::string_view::npos) {
    out.append(".0");
  }
  out.push_back('\n');
}

}  // namespace fermata::wire
