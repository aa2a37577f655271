// How a tensor of strings lies in a data file: the lengths as varints, a masked checksum of the lengths, then
// the strings one after the other. The checksum runs over the lengths as fixed numbers (4 bytes up to 2^32−1,
// else 8); that of the whole goes on over the stored checksum and the strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/tensor.h"

namespace fermata {

// Lengths and their checksum, which come before the strings.
struct StringTensorHead {
  std::string bytes;
  // Of the lengths and the stored checksum, not masked: the strings go on from it.
  std::uint32_t crc32c = 0;
};
[[nodiscard]] StringTensorHead encode_string_head(const TensorView& strings);

struct DecodedStrings {
  std::vector<std::string> values;
  std::uint32_t crc32c = 0;  // not masked, of the whole
};
// Nothing if `bytes` do not hold exactly `count` strings with a right checksum of their lengths.
[[nodiscard]] std::optional<DecodedStrings> decode_strings(std::string_view bytes, std::int64_t count);

}  // namespace fermata
