#include "wire/png.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>

namespace fermata::wire {
namespace {

constexpr std::string_view kMark("\x89PNG\r\n\x1a\n", 8);

void append_big_endian(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> static_cast<unsigned>(shift)));
  }
}

std::uint32_t crc32_of(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

void append_chunk(std::string& out, std::string_view type, std::string_view content) {
  append_big_endian(out, static_cast<std::uint32_t>(content.size()));
  const std::size_t start = out.size();
  out.append(type).append(content);
  append_big_endian(out, crc32_of(std::string_view(out).substr(start)));
}

std::uint32_t adler32(std::string_view bytes) {
  constexpr std::uint32_t kPrime = 65521;
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char c : bytes) {
    low = (low + static_cast<unsigned char>(c)) % kPrime;
    high = (high + low) % kPrime;
  }
  return high << 16U | low;
}

// zlib's stream of stored blocks.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kLongestBlock = 65535;
  std::string out("\x78\x01", 2);
  const std::uint32_t checksum = adler32(bytes);
  do {
    const std::size_t size = std::min(bytes.size(), kLongestBlock);
    const auto length = static_cast<std::uint16_t>(size);
    const auto inverse = static_cast<std::uint16_t>(~length);
    out.push_back(size == bytes.size() ? '\1' : '\0');
    for (const std::uint16_t number : std::array{length, inverse}) {
      out.push_back(static_cast<char>(number & 0xffU));
      out.push_back(static_cast<char>(number >> 8U));
    }
    out.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
  } while (!bytes.empty());
  append_big_endian(out, checksum);
  return out;
}

char color_type(std::int32_t channels) {
  constexpr char kGrey = 0;
  constexpr char kColors = 2;
  constexpr char kColorsAndOpacity = 6;
  return channels == 1 ? kGrey : channels == 3 ? kColors : kColorsAndOpacity;
}

}  // namespace

std::string encode_png(std::string_view pixels, std::int32_t height, std::int32_t width,
                       std::int32_t channels) {
  std::string head;
  append_big_endian(head, static_cast<std::uint32_t>(width));
  append_big_endian(head, static_cast<std::uint32_t>(height));
  // Eight bits a channel, no interlacing.
  head.append({'\10', color_type(channels), '\0', '\0', '\0'});
  const std::size_t row_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::string rows;
  for (std::size_t at = 0; at < pixels.size(); at += row_bytes) {
    // Each row begins with its filter, which is none.
    rows.push_back('\0');
    rows.append(pixels.substr(at, row_bytes));
  }
  std::string out(kMark);
  append_chunk(out, "IHDR", head);
  append_chunk(out, "IDAT", stored(rows));
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace fermata::wire
