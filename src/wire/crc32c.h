// The checksum of checkpoints and event files: CRC-32C (Castagnoli).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fermata::wire {

// The crc of bytes that follow those of `crc`; 0 to begin.
[[nodiscard]] std::uint32_t extend_crc32c(std::uint32_t crc, const void* data, std::size_t size) noexcept;

[[nodiscard]] inline std::uint32_t crc32c(std::string_view bytes) noexcept {
  return extend_crc32c(0, bytes.data(), bytes.size());
}

// The form in which a crc is stored: the crc of bytes that hold a plain crc themselves would tell little.
[[nodiscard]] std::uint32_t mask_crc32c(std::uint32_t crc) noexcept;
[[nodiscard]] std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept;

}  // namespace fermata::wire
