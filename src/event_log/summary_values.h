// Values of kinds that TensorBoard shows, as serialized tensorflow.Summary messages.
#pragma once

#include <string>
#include <string_view>

#include "fermata/tensor.h"

namespace fermata {

// As the functions of EventWriter of these kinds. Throw: Error kInvalidArgument.
[[nodiscard]] std::string histogram_of(std::string_view tag, const TensorView& values);
[[nodiscard]] std::string image_of(std::string_view tag, const TensorView& pixels);
[[nodiscard]] std::string text_of(std::string_view tag, std::string_view text);
[[nodiscard]] std::string tensor_of(std::string_view tag, const TensorView& value);

}  // namespace fermata
