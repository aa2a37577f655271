// Looks for NaN in values of any type.
#pragma once

#include "fermata/tensor.h"

namespace fermata::hooks {

// True if any element is NaN; of a complex number, either part. False for types that have no NaN.
[[nodiscard]] bool has_nan(const TensorView& value) noexcept;

}  // namespace fermata::hooks
