#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "fermata/error.h"
#include "fermata/tensor.h"

namespace fermata {
namespace {

struct DTypeFacts {
  const char* name;
  std::size_t size;
};

// By number. Names as NumPy and TensorFlow's Python print them.
constexpr std::array<DTypeFacts, 33> kFacts = {{
    {"invalid", 0},
    {"float32", 4},
    {"float64", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", 0},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"float16", 2},
    {"resource", 0},
    {"variant", 0},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 1},
    {"uint4", 1},
    {"int2", 1},
    {"uint2", 1},
}};

}  // namespace

std::string dtype_name(DType dtype) {
  const auto number = static_cast<std::size_t>(dtype);
  return number < kFacts.size() ? kFacts[number].name
                                : fmt::format("dtype {}", static_cast<std::int32_t>(dtype));
}

std::size_t dtype_size(DType dtype) noexcept {
  const auto number = static_cast<std::size_t>(dtype);
  return number < kFacts.size() ? kFacts[number].size : 0;
}

std::int64_t num_elements(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(product, size, &product)) {
      throw Error(
          Code::kInvalidArgument,
          fmt::format("shape {} is no shape of a value: sizes must be 0 or more and their product below 2^63",
                      shape_text(shape)));
    }
  }
  return product;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += i == 0 ? "" : ",";
    text += shape[i] == -1 ? std::string("?") : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace fermata
