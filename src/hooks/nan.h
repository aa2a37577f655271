// Looks for NaN in values of any type.
#pragma once

#include <cmath>

#include "fermata/tensor.h"

namespace fermata::hooks {

// True if any element is NaN; of a complex number, either part. False for types that have no NaN.
[[nodiscard]] bool has_nan(const TensorView& value) noexcept;

// The same, without a call for what losses mostly are.
[[nodiscard]] inline bool loss_has_nan(const TensorView& value) noexcept {
  if (value.dtype() == DType::kFloat && value.size() == 1) [[likely]] {
    return std::isnan(*static_cast<const float*>(value.data()));
  }
  return has_nan(value);
}

}  // namespace fermata::hooks
