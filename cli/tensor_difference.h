// By how much two values of one variable differ.
#pragma once

#include <cstdint>
#include <string>

#include "fermata/tensor.h"

namespace fermata::cli {

struct TensorDifference {
  // Elements whose bits differ.
  std::int64_t count = 0;
  std::int64_t size = 0;
  // Of real numbers: the largest distance of two elements, and where it is. NaN against a number counts as
  // infinite.
  double largest = 0;
  std::int64_t largest_at = 0;
  bool has_distance = false;
};

// Requires: equal dtype and shape, both with data.
[[nodiscard]] TensorDifference difference(const TensorView& a, const TensorView& b);

// "12 of 640 elements differ, by at most 0.03 (element 17)".
[[nodiscard]] std::string difference_text(const TensorDifference& difference);

}  // namespace fermata::cli
