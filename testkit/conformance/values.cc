#include "conformance/values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "conformance/errors.h"

namespace fermata::conformance {
namespace {

Json element(const TensorView& value, std::int64_t index, bool with_text) {
  if (value.dtype() == DType::kString) {
    const std::string_view bytes = value.string(index);
    return with_text ? Json(std::string(bytes)) : Json("<" + std::to_string(bytes.size()) + " bytes>");
  }
  if (value.dtype() == DType::kBool) {
    return value.as_double(index) != 0;
  }
  return number(value.as_double(index));
}

Json nested(const TensorView& value, std::size_t dimension, std::int64_t& index, bool with_text) {
  if (dimension == value.shape().size()) {
    return element(value, index++, with_text);
  }
  Json list = Json::array();
  for (std::int64_t i = 0; i < value.shape()[dimension]; ++i) {
    list.push_back(nested(value, dimension + 1, index, with_text));
  }
  return list;
}

Json as_json(const TensorView& value, bool with_text) {
  if (!value.has_value()) {
    return nullptr;
  }
  std::int64_t index = 0;
  return nested(value, 0, index, with_text);
}

void flatten(const Json& value, std::vector<Json>& elements) {
  if (!value.is_array()) {
    elements.push_back(value);
    return;
  }
  for (const Json& inner : value) {
    flatten(inner, elements);
  }
}

template <typename T>
Tensor numbers(const Shape& shape, const std::vector<Json>& elements) {
  return Tensor::build(dtype_of<T>(), shape, [&](void* data) {
    auto* into = static_cast<T*>(data);
    for (const Json& given : elements) {
      *into++ = static_cast<T>(real_of(given));
    }
  });
}

}  // namespace

Json number(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  if (value == std::floor(value) && std::abs(value) < 9e15) {
    return static_cast<std::int64_t>(value);
  }
  const double rounded = std::round(value * 1e6) / 1e6;
  return rounded == std::floor(rounded) ? Json(rounded) : Json(rounded);
}

Json plain(const TensorView& value) { return as_json(value, false); }
Json plain_with_text(const TensorView& value) { return as_json(value, true); }

double real_of(const Json& value) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    return text == "nan"    ? std::numeric_limits<double>::quiet_NaN()
           : text == "-inf" ? -std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::infinity();
  }
  return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

Tensor tensor_of(const Json& value, DType dtype) {
  Shape shape;
  for (const Json* inner = &value; inner->is_array(); inner = &inner->front()) {
    shape.push_back(static_cast<std::int64_t>(inner->size()));
    if (inner->empty()) {
      break;
    }
  }
  std::vector<Json> elements;
  flatten(value, elements);
  switch (dtype) {
    case DType::kDouble:
      return numbers<double>(shape, elements);
    case DType::kInt64:
      return numbers<std::int64_t>(shape, elements);
    case DType::kInt32:
      return numbers<std::int32_t>(shape, elements);
    case DType::kBool:
      return numbers<bool>(shape, elements);
    default:
      return numbers<float>(shape, elements);
  }
}

}  // namespace fermata::conformance
