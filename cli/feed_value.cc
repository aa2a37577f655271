#include "cli/feed_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/text.h"
#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

using nlohmann::json;

// The scalars of a value in row-major order, and its shape.
struct Parts {
  Shape shape;
  std::vector<json> scalars;
};

// Lists of lists must all have the same length. False if they do not.
bool collect(const json& value, std::size_t depth, Parts& parts) {
  if (!value.is_array()) {
    parts.scalars.push_back(value);
    return depth == parts.shape.size();
  }
  if (depth == parts.shape.size()) {
    if (!parts.scalars.empty()) {
      return false;
    }
    parts.shape.push_back(static_cast<std::int64_t>(value.size()));
  }
  if (parts.shape[depth] != static_cast<std::int64_t>(value.size())) {
    return false;
  }
  for (const json& element : value) {
    if (!collect(element, depth + 1, parts)) {
      return false;
    }
  }
  return true;
}

// Text that is no JSON: a bare word, or a number that JSON lacks.
json scalar_of(const std::string& text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole ? json(number) : json(text);
}

Parts parse_parts(const std::string& text, DType dtype, bool& well_formed) {
  Parts parts;
  const bool list = text.starts_with('[');
  json value = dtype == DType::kString && !list ? json(text) : json::parse(text, nullptr, false);
  if (value.is_discarded()) {
    value = scalar_of(text);
  }
  well_formed = collect(value, 0, parts);
  return parts;
}

template <typename T>
std::optional<T> convert(const json& scalar) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool is_bit = scalar.is_number_integer() && (scalar == 0 || scalar == 1);
    return scalar.is_boolean() || is_bit ? std::optional<T>(scalar == true || scalar == 1) : std::nullopt;
  } else if constexpr (std::is_floating_point_v<T>) {
    return scalar.is_number() ? std::optional<T>(static_cast<T>(scalar.get<double>())) : std::nullopt;
  } else {
    if (!scalar.is_number_integer()) {
      return std::nullopt;
    }
    if (scalar.is_number_unsigned()) {
      const auto number = scalar.get<std::uint64_t>();
      return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
    }
    const auto number = scalar.get<std::int64_t>();
    return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
  }
}

template <typename T>
std::optional<Tensor> numbers(const Parts& parts) {
  bool fits = true;
  const Tensor tensor = Tensor::build(dtype_of<T>(), parts.shape, [&](void* data) {
    auto* to = static_cast<T*>(data);
    for (const json& scalar : parts.scalars) {
      const std::optional<T> value = convert<T>(scalar);
      fits = fits && value.has_value();
      *to++ = value.value_or(T{});
    }
  });
  return fits ? std::optional<Tensor>(tensor) : std::nullopt;
}

std::optional<Tensor> texts(const Parts& parts) {
  std::vector<std::string> values;
  for (const json& scalar : parts.scalars) {
    values.push_back(scalar.is_string() ? scalar.get<std::string>() : scalar.dump());
  }
  return Tensor::strings(parts.shape, std::move(values));
}

std::optional<Tensor> make(const Parts& parts, DType dtype, const std::string& what) {
  switch (dtype) {
    case DType::kFloat:
      return numbers<float>(parts);
    case DType::kDouble:
      return numbers<double>(parts);
    case DType::kBool:
      return numbers<bool>(parts);
    case DType::kInt8:
      return numbers<std::int8_t>(parts);
    case DType::kInt16:
      return numbers<std::int16_t>(parts);
    case DType::kInt32:
      return numbers<std::int32_t>(parts);
    case DType::kInt64:
      return numbers<std::int64_t>(parts);
    case DType::kUInt8:
      return numbers<std::uint8_t>(parts);
    case DType::kUInt16:
      return numbers<std::uint16_t>(parts);
    case DType::kUInt32:
      return numbers<std::uint32_t>(parts);
    case DType::kUInt64:
      return numbers<std::uint64_t>(parts);
    case DType::kString:
      return texts(parts);
    default:
      throw UsageError(fmt::format("{}: a {} cannot be typed; put it into a .npy file and give it as input",
                                   what, dtype_name(dtype)));
  }
}

bool fits(const Shape& found, const std::optional<Shape>& wanted) {
  if (!wanted) {
    return true;
  }
  if (found.size() != wanted->size()) {
    return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if ((*wanted)[i] >= 0 && (*wanted)[i] != found[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Tensor parse_feed_value(const std::string& what, const std::string& text, const TensorSpec& spec) {
  bool well_formed = true;
  const Parts parts = parse_parts(text, spec.dtype, well_formed);
  if (!well_formed) {
    throw UsageError(fmt::format("{}: lists inside of '{}' have different lengths", what, text));
  }
  const std::optional<Tensor> value = make(parts, spec.dtype, what);
  if (!value) {
    throw UsageError(fmt::format("{}: expected {}, found '{}'", what, spec_text(spec), text));
  }
  if (!fits(parts.shape, spec.shape)) {
    throw UsageError(fmt::format("{}: expected {}, found '{}' of shape {}; lists are written [1,2,3]", what,
                                 spec_text(spec), text, shape_text(parts.shape)));
  }
  return *value;
}

}  // namespace fermata::cli
