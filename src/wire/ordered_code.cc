#include "wire/ordered_code.h"

#include <array>
#include <bit>
#include <cstddef>

namespace fermata::wire {
namespace {

// Bytes of `value` from the highest, without leading zeros.
std::string significant_bytes(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<char>(static_cast<unsigned char>(value >> static_cast<unsigned>(shift)));
    if (!bytes.empty() || byte != 0) {
      bytes.push_back(byte);
    }
  }
  return bytes;
}

}  // namespace

void append_ordered(std::string& out, std::uint64_t value) {
  const std::string bytes = significant_bytes(value);
  out.push_back(static_cast<char>(bytes.size()));
  out.append(bytes);
}

void append_ordered(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) {
    out.push_back(byte);
    if (byte == '\0') {
      out.push_back('\xff');
    } else if (byte == '\xff') {
      out.push_back('\0');
    }
  }
  out.append(std::string_view("\0\1", 2));
}

void append_ordered_signed(std::string& out, std::int64_t value) {
  // A code of n bytes (1 to 10) has 7n−1 bits of the number and its sign behind n leading ones and a zero;
  // for a negative number all bits are inverted.
  const bool negative = value < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? ~value : value);
  const std::size_t bits = static_cast<std::size_t>(std::bit_width(magnitude)) + 1;
  const std::size_t length = (bits + 6) / 7;
  std::array<unsigned char, 10> code{};
  for (std::size_t i = 0; i < length && i < 8; ++i) {
    code[length - 1 - i] = static_cast<unsigned char>(magnitude >> (8 * i));
  }
  // The leading ones: `length` of them, over one or two bytes.
  for (std::size_t bit = 0; bit < length; ++bit) {
    code[bit / 8] = static_cast<unsigned char>(code[bit / 8] | (0x80U >> (bit % 8)));
  }
  for (std::size_t i = 0; i < length; ++i) {
    out.push_back(static_cast<char>(negative ? static_cast<unsigned char>(~code[i]) : code[i]));
  }
}

}  // namespace fermata::wire
