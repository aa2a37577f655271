#include "cli/json_value.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

// 0.1F is 0.1 and not 0.10000000149011612: the double nearest to the float's shortest text has that very
// text.
double shortest(float value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{}", value).c_str(), nullptr) : value;
}

template <typename T>
ordered_json integer(const TensorView& value, std::int64_t index) {
  return value.values<T>()[static_cast<std::size_t>(index)];
}

ordered_json element(const TensorView& value, std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  switch (value.dtype()) {
    case DType::kString:
      return std::string(value.string(index));
    case DType::kBool:
      return value.as_double(index) != 0;
    case DType::kFloat:
      return json_number(shortest(value.values<float>()[place]));
    case DType::kHalf:
    case DType::kBFloat16:
      return json_number(shortest(static_cast<float>(value.as_double(index))));
    case DType::kInt64:
      return integer<std::int64_t>(value, index);
    case DType::kUInt64:
      return integer<std::uint64_t>(value, index);
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
      return static_cast<std::int64_t>(value.as_double(index));
    case DType::kComplex64: {
      const auto number = value.values<std::complex<float>>()[place];
      return {json_number(shortest(number.real())), json_number(shortest(number.imag()))};
    }
    case DType::kComplex128: {
      const auto number = value.values<std::complex<double>>()[place];
      return {json_number(number.real()), json_number(number.imag())};
    }
    default:
      return json_number(value.as_double(index));
  }
}

ordered_json nested(const TensorView& value, std::size_t dimension, std::int64_t& index) {
  if (dimension == value.shape().size()) {
    return element(value, index++);
  }
  ordered_json list = ordered_json::array();
  for (std::int64_t i = 0; i < value.shape()[dimension]; ++i) {
    list.push_back(nested(value, dimension + 1, index));
  }
  return list;
}

}  // namespace

ordered_json json_number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  return value;
}

ordered_json json_value(const TensorView& value) {
  if (!value.has_value()) {
    return nullptr;
  }
  std::int64_t index = 0;
  return nested(value, 0, index);
}

std::string json_text(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace fermata::cli
