// Summaries with one value (tensorflow.Summary), ready for an event file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fermata::wire {

// As HistogramProto: `counts[i]` values lie at or below `limits[i]`, and above the limit before it.
struct Histogram {
  double min = 0;
  double max = 0;
  double count = 0;
  double sum = 0;
  double sum_of_squares = 0;
  std::span<const double> limits;
  std::span<const double> counts;
};

[[nodiscard]] std::string histogram_summary(std::string_view tag, const Histogram& histogram);

struct EncodedImage {
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::int32_t channels = 0;
  std::string_view png;
};

[[nodiscard]] std::string image_summary(std::string_view tag, const EncodedImage& image);

// `plugin` says to TensorBoard how to show it; empty: nothing does.
[[nodiscard]] std::string tensor_summary(std::string_view tag, std::string_view plugin,
                                         std::string_view tensor_proto);

// Few words about a HistogramProto or an Image: "12 values from -1 to 2", "64 x 48". Nothing if the bytes are
// none.
[[nodiscard]] std::optional<std::string> histogram_words(std::string_view histogram);
[[nodiscard]] std::optional<std::string> image_words(std::string_view image);

}  // namespace fermata::wire
