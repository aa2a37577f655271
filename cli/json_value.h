// Tensors as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fermata/tensor.h"

namespace fermata::cli {

// A number, true or false, a text, or nested lists in the tensor's shape; null for no value. A float becomes
// the shortest number that reads back as the same float; what JSON has no number for becomes "NaN",
// "Infinity" or
// "-Infinity". Bytes of a text that are no UTF-8 become the replacement character when it is written.
[[nodiscard]] nlohmann::ordered_json json_value(const TensorView& value);

// The same for one number.
[[nodiscard]] nlohmann::ordered_json json_number(double value);

// The text of `json` on one line, or indented by `indent` spaces.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace fermata::cli
