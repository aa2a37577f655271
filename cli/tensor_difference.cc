#include "cli/tensor_difference.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace fermata::cli {
namespace {

bool is_real(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
    case DType::kDouble:
    case DType::kHalf:
    case DType::kBFloat16:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
    case DType::kBool:
      return true;
    default:
      return false;
  }
}

bool same_element(const TensorView& a, const TensorView& b, std::int64_t index) {
  if (a.dtype() == DType::kString) {
    return a.string(index) == b.string(index);
  }
  const std::size_t bytes = dtype_size(a.dtype());
  const auto at = static_cast<std::size_t>(index) * bytes;
  return std::memcmp(static_cast<const char*>(a.data()) + at, static_cast<const char*>(b.data()) + at,
                     bytes) == 0;
}

double distance(double a, double b) {
  const double between = std::abs(a - b);
  return std::isnan(between) && !(std::isnan(a) && std::isnan(b)) ? std::numeric_limits<double>::infinity()
                                                                  : between;
}

}  // namespace

TensorDifference difference(const TensorView& a, const TensorView& b) {
  TensorDifference found;
  found.size = a.size();
  found.has_distance = is_real(a.dtype());
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (same_element(a, b, i)) {
      continue;
    }
    ++found.count;
    const double between = found.has_distance ? distance(a.as_double(i), b.as_double(i)) : 0;
    if (found.count == 1 || between > found.largest) {
      found.largest = between;
      found.largest_at = i;
    }
  }
  return found;
}

std::string difference_text(const TensorDifference& difference) {
  std::string text = fmt::format("{} of {} elements differ", difference.count, difference.size);
  if (difference.has_distance && difference.count > 0) {
    text += fmt::format(", by at most {} (element {})", difference.largest, difference.largest_at);
  }
  return text;
}

}  // namespace fermata::cli
