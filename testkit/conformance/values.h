// Values of tensors as scenarios write them, both ways.
#pragma once

#include "conformance/json.h"
#include "fermata/tensor.h"

namespace fermata::conformance {

// A number rounded to six places, whole ones without fraction; "nan", "inf", "-inf".
[[nodiscard]] Json number(double value);
// Null for a view without a value; nested lists; a string is its length, as in the recordings.
[[nodiscard]] Json plain(const TensorView& value);
// The same with strings as they are, for checkpoints and log lines.
[[nodiscard]] Json plain_with_text(const TensorView& value);

// A scenario's number, text or list as a tensor; "nan" and "inf" are numbers here.
[[nodiscard]] Tensor tensor_of(const Json& value, DType dtype);
[[nodiscard]] double real_of(const Json& value);

}  // namespace fermata::conformance
