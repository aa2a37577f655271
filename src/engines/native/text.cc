#include "engines/native/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace fermata::native {
namespace {

// So that one sentence stays one, however many variables a graph has.
constexpr std::size_t kNamed = 5;

}  // namespace

bool fits(const TensorSpec& spec, const TensorView& value) noexcept {
  if (spec.dtype != DType::kInvalid && spec.dtype != value.dtype()) {
    return false;
  }
  if (!spec.shape) {
    return true;
  }
  if (spec.shape->size() != value.shape().size()) {
    return false;
  }
  for (std::size_t i = 0; i < value.shape().size(); ++i) {
    const std::int64_t expected = (*spec.shape)[i];
    if (expected >= 0 && expected != value.shape()[i]) {
      return false;
    }
  }
  return true;
}

std::string spec_text(const TensorSpec& spec) {
  return fmt::format("{}{}", spec.dtype == DType::kInvalid ? "any type" : dtype_name(spec.dtype),
                     spec.shape ? shape_text(*spec.shape) : " of any shape");
}

std::string value_text(const TensorView& value) {
  return value.has_value() ? fmt::format("{}{}", dtype_name(value.dtype()), shape_text(value.shape()))
                           : "no value";
}

std::string list_text(std::span<const std::string> items, const char* separator) {
  const std::size_t named = std::min(items.size(), kNamed);
  std::string text = fmt::format("{}", fmt::join(items.first(named), separator));
  if (named < items.size()) {
    text += fmt::format("{}and {} more", separator, items.size() - named);
  }
  return text;
}

}  // namespace fermata::native
