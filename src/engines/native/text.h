// What the native engine checks and says about values.
#pragma once

#include <span>
#include <string>

#include "fermata/graph.h"
#include "fermata/tensor.h"

namespace fermata::native {

// Whether a value has the dtype and shape that a spec asks for, as far as it asks.
[[nodiscard]] bool fits(const TensorSpec& spec, const TensorView& value) noexcept;

// "float32[64,10]", "any type of any shape".
[[nodiscard]] std::string spec_text(const TensorSpec& spec);
// "float32[64,10]", "no value".
[[nodiscard]] std::string value_text(const TensorView& value);

// "a, b, c": at most five, then "and 3 more". `separator` stands between them.
[[nodiscard]] std::string list_text(std::span<const std::string> items, const char* separator = ", ");

}  // namespace fermata::native
