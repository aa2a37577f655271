#include "event_log/summary_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fermata/error.h"
#include "wire/png.h"
#include "wire/summary_proto.h"
#include "wire/tensor_proto.h"

namespace fermata {
namespace {

// TensorBoard's usual limits: growing by a tenth from 1e-12 to 1e20, the same below zero, and zero itself.
std::vector<double> make_limits() {
  constexpr double kSmallest = 1e-12;
  constexpr double kLargest = 1e20;
  constexpr double kGrowth = 1.1;
  std::vector<double> above;
  for (double limit = kSmallest; limit < kLargest; limit *= kGrowth) {
    above.push_back(limit);
  }
  above.push_back(std::numeric_limits<double>::max());
  std::vector<double> all;
  std::transform(above.rbegin(), above.rend(), std::back_inserter(all), [](double limit) { return -limit; });
  all.push_back(0);
  all.insert(all.end(), above.begin(), above.end());
  return all;
}

const std::vector<double>& usual_limits() {
  static const std::vector<double> limits = make_limits();
  return limits;
}

// Of a run of empty buckets one stays, which is what readers expect.
void drop_empty_runs(std::vector<double>& limits, std::vector<double>& counts) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool same_run = kept > 0 && counts[i] == 0 && counts[kept - 1] == 0;
    kept = same_run ? kept - 1 : kept;
    limits[kept] = limits[i];
    counts[kept] = counts[i];
    ++kept;
  }
  limits.resize(kept);
  counts.resize(kept);
}

[[noreturn]] void refuse(std::string_view call, std::string_view tag, const std::string& expected,
                         const TensorView& found) {
  throw Error(
      Code::kInvalidArgument,
      fmt::format("EventWriter::{} '{}': {} was expected, found {} {}", call, tag, expected,
                  found.has_value() ? dtype_name(found.dtype()) : "nothing", shape_text(found.shape())));
}

bool is_real(DType dtype) {
  return dtype_size(dtype) != 0 && dtype != DType::kComplex64 && dtype != DType::kComplex128;
}

}  // namespace

std::string histogram_of(std::string_view tag, const TensorView& values) {
  if (!is_real(values.dtype())) {
    refuse("add_histogram", tag, "real numbers", values);
  }
  std::vector<double> limits = usual_limits();
  std::vector<double> counts(limits.size());
  wire::Histogram histogram{.min = std::numeric_limits<double>::max(),
                            .max = std::numeric_limits<double>::lowest()};
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const double value = values.as_double(i);
    if (!std::isfinite(value)) {
      continue;
    }
    const auto bucket = std::upper_bound(limits.begin(), limits.end(), value);
    ++counts[static_cast<std::size_t>(std::min(bucket, limits.end() - 1) - limits.begin())];
    histogram.min = std::min(histogram.min, value);
    histogram.max = std::max(histogram.max, value);
    ++histogram.count;
    histogram.sum += value;
    histogram.sum_of_squares += value * value;
  }
  if (histogram.count == 0) {
    histogram.min = histogram.max = 0;
  }
  drop_empty_runs(limits, counts);
  histogram.limits = limits;
  histogram.counts = counts;
  return wire::histogram_summary(tag, histogram);
}

std::string image_of(std::string_view tag, const TensorView& pixels) {
  const auto shape = pixels.shape();
  const bool fits = pixels.dtype() == DType::kUInt8 && shape.size() == 3 && shape[0] > 0 && shape[1] > 0 &&
                    (shape[2] == 1 || shape[2] == 3 || shape[2] == 4) &&
                    std::max(shape[0], shape[1]) <= std::numeric_limits<std::int32_t>::max();
  if (!fits) {
    refuse("add_image", tag, "uint8 [height,width,1, 3 or 4]", pixels);
  }
  const auto size = [&](std::size_t i) { return static_cast<std::int32_t>(shape[i]); };
  const std::string png = wire::encode_png({static_cast<const char*>(pixels.data()), pixels.byte_size()},
                                           size(0), size(1), size(2));
  return wire::image_summary(tag, {size(0), size(1), size(2), png});
}

std::string text_of(std::string_view tag, std::string_view text) {
  return wire::tensor_summary(tag, "text", wire::encode_strings({}, {&text, 1}));
}

std::string tensor_of(std::string_view tag, const TensorView& value) {
  if (value.dtype() == DType::kString) {
    std::vector<std::string_view> texts;
    for (std::int64_t i = 0; i < value.size(); ++i) {
      texts.push_back(value.string(i));
    }
    return wire::tensor_summary(tag, "", wire::encode_strings(value.shape(), texts));
  }
  if (dtype_size(value.dtype()) == 0) {
    refuse("add_tensor", tag, "plain data or strings", value);
  }
  return wire::tensor_summary(
      tag, "",
      wire::encode_tensor(static_cast<std::int32_t>(value.dtype()), value.shape(),
                          {static_cast<const char*>(value.data()), value.byte_size()}));
}

}  // namespace fermata
