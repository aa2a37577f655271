// Fixed-width numbers as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fermata::wire {

template <typename Unsigned>
void append_little_endian(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

// Requires: sizeof(Unsigned) bytes at `bytes`.
template <typename Unsigned>
[[nodiscard]] Unsigned load_little_endian(const char* bytes) noexcept {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= static_cast<Unsigned>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace fermata::wire
