#include "wire/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <bit>

namespace fermata::wire {
namespace {

constexpr std::uint32_t kMaskDelta = 0xa282ead8U;
// The library counts in int.
constexpr std::size_t kLongestPiece = std::size_t{1} << 30U;

}  // namespace

std::uint32_t extend_crc32c(std::uint32_t crc, const void* data, std::size_t size) noexcept {
  // The library takes a pointer to bytes that it does not change, without saying const.
  auto* bytes = static_cast<unsigned char*>(const_cast<void*>(data));
  std::uint32_t state = ~crc;
  while (size > 0) {
    const std::size_t piece = std::min(size, kLongestPiece);
    state = crc32_iscsi(bytes, static_cast<int>(piece), state);
    bytes += piece;
    size -= piece;
  }
  return ~state;
}

std::uint32_t mask_crc32c(std::uint32_t crc) noexcept { return std::rotr(crc, 15) + kMaskDelta; }

std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept { return std::rotl(masked - kMaskDelta, 15); }

}  // namespace fermata::wire
