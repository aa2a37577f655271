#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fermata::cli {

std::string short_number(double value) {
  // The sign of a NaN means nothing.
  return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);
}

std::string short_value(const TensorView& value) {
  switch (value.dtype()) {
    case DType::kFloat:
    case DType::kDouble:
    case DType::kHalf:
    case DType::kBFloat16:
      return value.shape().empty() ? short_number(value.as_double()) : to_text(value);
    default:
      return to_text(value);
  }
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double steps_per_second) {
  return steps_per_second < 10 ? fmt::format("{:.2g} steps/s", steps_per_second)
                               : fmt::format("{:.0f} steps/s", steps_per_second);
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string spec_text(const TensorSpec& spec) {
  return spec.shape ? fmt::format("{} {}", dtype_name(spec.dtype), shape_text(*spec.shape))
                    : fmt::format("{} of unknown shape", dtype_name(spec.dtype));
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace fermata::cli
