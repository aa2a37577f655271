// Values as messages (tensorflow.TensorProto).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

// What is looked at in a value of an event file.
struct TensorGlance {
  std::int32_t dtype = 0;
  std::vector<std::int64_t> shape;
  // The first element of a real type.
  std::optional<double> first_number;
  // All elements of a string tensor.
  std::vector<std::string> strings;
};

// Nothing if the bytes are no TensorProto.
[[nodiscard]] std::optional<TensorGlance> glance_at_tensor(std::string_view tensor);

// `content`: the elements as they lie in memory.
[[nodiscard]] std::string encode_tensor(std::int32_t dtype, std::span<const std::int64_t> shape,
                                        std::string_view content);
[[nodiscard]] std::string encode_strings(std::span<const std::int64_t> shape,
                                         std::span<const std::string_view> strings);

}  // namespace fermata::wire
