#include "checkpoint/string_tensor.h"

#include <limits>
#include <numeric>

#include "wire/crc32c.h"
#include "wire/little_endian.h"

namespace fermata {
namespace {

constexpr std::size_t kChecksumBytes = 4;

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value | 0x80U)));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

std::uint32_t extend_by_length(std::uint32_t crc, std::uint64_t length) {
  std::string fixed;
  if (length <= std::numeric_limits<std::uint32_t>::max()) {
    wire::append_little_endian(fixed, static_cast<std::uint32_t>(length));
  } else {
    wire::append_little_endian(fixed, length);
  }
  return wire::extend_crc32c(crc, fixed.data(), fixed.size());
}

// Takes the lengths off the front; nothing if they do not fit into what is there.
std::optional<std::vector<std::uint64_t>> take_lengths(std::string_view& bytes, std::int64_t count) {
  std::vector<std::uint64_t> lengths;
  std::uint64_t left = bytes.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::optional<std::uint64_t> length = take_varint(bytes);
    if (!length || *length > left) {
      return std::nullopt;
    }
    left -= *length;
    lengths.push_back(*length);
  }
  return lengths;
}

}  // namespace

StringTensorHead encode_string_head(const TensorView& strings) {
  StringTensorHead head;
  for (std::int64_t i = 0; i < strings.size(); ++i) {
    const std::uint64_t length = strings.string(i).size();
    append_varint(head.bytes, length);
    head.crc32c = extend_by_length(head.crc32c, length);
  }
  std::string checksum;
  wire::append_little_endian(checksum, wire::mask_crc32c(head.crc32c));
  head.crc32c = wire::extend_crc32c(head.crc32c, checksum.data(), checksum.size());
  head.bytes += checksum;
  return head;
}

std::optional<DecodedStrings> decode_strings(std::string_view bytes, std::int64_t count) {
  const std::optional<std::vector<std::uint64_t>> lengths = take_lengths(bytes, count);
  if (!lengths || bytes.size() < kChecksumBytes) {
    return std::nullopt;
  }
  DecodedStrings decoded;
  for (const std::uint64_t length : *lengths) {
    decoded.crc32c = extend_by_length(decoded.crc32c, length);
  }
  const std::uint64_t total = std::accumulate(lengths->begin(), lengths->end(), std::uint64_t{0});
  if (wire::load_little_endian<std::uint32_t>(bytes.data()) != wire::mask_crc32c(decoded.crc32c) ||
      bytes.size() - kChecksumBytes != total) {
    return std::nullopt;
  }
  decoded.crc32c = wire::extend_crc32c(decoded.crc32c, bytes.data(), bytes.size());
  bytes.remove_prefix(kChecksumBytes);
  decoded.values.reserve(lengths->size());
  for (const std::uint64_t length : *lengths) {
    decoded.values.emplace_back(bytes.substr(0, static_cast<std::size_t>(length)));
    bytes.remove_prefix(static_cast<std::size_t>(length));
  }
  return decoded;
}

}  // namespace fermata
