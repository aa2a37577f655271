// 16-bit floats as numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fermata/tensor.h"

namespace fermata {

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
[[nodiscard]] inline float half_to_float(Half value) noexcept {
  const int exponent = (value.bits >> 10) & 0x1F;
  const int fraction = value.bits & 0x3FF;
  const float sign = (value.bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F) {
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  }
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

// The upper half of a float32.
[[nodiscard]] inline float bfloat16_to_float(BFloat16 value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

}  // namespace fermata
