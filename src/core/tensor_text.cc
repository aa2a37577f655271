#include <fmt/format.h>

#include <cmath>

#include "core/half.h"
#include "fermata/tensor.h"

namespace fermata {
namespace {

std::string complex_text(double real, double imaginary) { return fmt::format("{}{:+}j", real, imaginary); }

// The sign of a NaN says nothing, and is not shown.
template <typename T>
std::string real_text(T number) {
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

std::string element_text(const TensorView& value, std::int64_t i) {
  switch (value.dtype()) {
    case DType::kString:
      return std::string(value.string(i));
    case DType::kBool:
      return value.as_double(i) != 0 ? "true" : "false";
    case DType::kFloat:
      return real_text(static_cast<const float*>(value.data())[i]);
    case DType::kDouble:
      return real_text(static_cast<const double*>(value.data())[i]);
    case DType::kHalf:
    case DType::kBFloat16:
      return real_text(static_cast<float>(value.as_double(i)));
    case DType::kInt64:
      return fmt::format("{}", static_cast<const std::int64_t*>(value.data())[i]);
    case DType::kUInt64:
      return fmt::format("{}", static_cast<const std::uint64_t*>(value.data())[i]);
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
      return fmt::format("{}", static_cast<std::int64_t>(value.as_double(i)));
    case DType::kComplex64: {
      const auto& c = static_cast<const std::complex<float>*>(value.data())[i];
      return complex_text(c.real(), c.imag());
    }
    case DType::kComplex128: {
      const auto& c = static_cast<const std::complex<double>*>(value.data())[i];
      return complex_text(c.real(), c.imag());
    }
    default:
      return "?";
  }
}

}  // namespace

std::string to_text(const TensorView& value, std::int64_t max_elements) {
  if (!value.has_value()) {
    return "nothing";
  }
  if (value.shape().empty()) {
    return element_text(value, 0);
  }
  std::string text = "[";
  for (std::int64_t i = 0; i < value.size(); ++i) {
    text += i == 0 ? "" : " ";
    if (i == max_elements) {
      text += "…";
      break;
    }
    text += element_text(value, i);
  }
  return text + "]";
}

}  // namespace fermata
