// A box of a tensor: the part of a partitioned variable that one entry of a checkpoint holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/tensor.h"

namespace fermata {

struct TensorSlice {
  static constexpr std::int64_t kWholeDimension = -1;

  struct Extent {
    std::int64_t start = 0;
    std::int64_t length = kWholeDimension;
    friend bool operator==(const Extent&, const Extent&) = default;
  };

  // One for each dimension of the whole tensor.
  std::vector<Extent> extents;
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

// The shape of this part of a tensor of `full_shape`; nothing if it does not lie within.
[[nodiscard]] std::optional<Shape> slice_shape(const TensorSlice& slice,
                                               std::span<const std::int64_t> full_shape);

// True if both parts of a tensor of `full_shape` have an element in common. Requires: both lie within.
[[nodiscard]] bool slices_overlap(const TensorSlice& a, const TensorSlice& b,
                                  std::span<const std::int64_t> full_shape);

// Copies the part into its place in the whole. Requires: it lies within; both in row-major order.
void copy_slice_into(const void* part, const TensorSlice& slice, std::span<const std::int64_t> full_shape,
                     std::size_t element_bytes, void* whole);

// "0,3:0,2"; "-" for a whole dimension.
[[nodiscard]] std::string slice_text(const TensorSlice& slice);

// A part together with the shape of the whole, as graphs write it: "5 2 0,3:0,2" (VariableInfo::slice).
// Nothing if the text is something else.
struct ShapeAndSlice {
  Shape full_shape;
  TensorSlice slice;
};
[[nodiscard]] std::optional<ShapeAndSlice> parse_shape_and_slice(std::string_view text);

// The key of a part in the index of a checkpoint.
[[nodiscard]] std::string slice_key(std::string_view name, const TensorSlice& slice);

}  // namespace fermata
