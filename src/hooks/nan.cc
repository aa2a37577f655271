#include "hooks/nan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fermata::hooks {
namespace {

// `count` is of T, of which a complex number has two.
template <typename T, typename IsNan>
bool any(const TensorView& value, std::int64_t count, IsNan is_nan) noexcept {
  const T* first = static_cast<const T*>(value.data());
  return std::any_of(first, first + count, is_nan);
}

template <typename T>
bool any_float(const TensorView& value, std::int64_t parts = 1) noexcept {
  return any<T>(value, value.size() * parts, [](T element) { return std::isnan(element); });
}

// Bits without the sign: those above the bits of infinity are NaN.
template <typename T>
bool any_above(const TensorView& value, T infinity) noexcept {
  constexpr T kWithoutSign = static_cast<T>(static_cast<T>(~T{0}) >> 1);
  return any<T>(value, value.size(), [infinity](T bits) { return (bits & kWithoutSign) > infinity; });
}

// Formats without negative zero keep their one NaN in its place.
bool any_negative_zero(const TensorView& value) noexcept {
  return any<std::uint8_t>(value, value.size(), [](std::uint8_t bits) { return bits == 0x80; });
}

}  // namespace

bool has_nan(const TensorView& value) noexcept {
  switch (value.dtype()) {
    case DType::kFloat:
      return any_float<float>(value);
    case DType::kDouble:
      return any_float<double>(value);
    case DType::kComplex64:
      return any_float<float>(value, 2);
    case DType::kComplex128:
      return any_float<double>(value, 2);
    case DType::kHalf:
      return any_above<std::uint16_t>(value, 0x7c00);
    case DType::kBFloat16:
      return any_above<std::uint16_t>(value, 0x7f80);
    case DType::kFloat8E5M2:
      return any_above<std::uint8_t>(value, 0x7c);
    case DType::kFloat8E4M3FN:
      // No infinity: all ones is NaN, one below is the largest number.
      return any_above<std::uint8_t>(value, 0x7e);
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E4M3B11FNUZ:
    case DType::kFloat8E5M2FNUZ:
      return any_negative_zero(value);
    default:
      return false;
  }
}

}  // namespace fermata::hooks
