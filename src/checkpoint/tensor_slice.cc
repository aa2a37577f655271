#include "checkpoint/tensor_slice.h"

#include <charconv>
#include <cstring>

#include "wire/ordered_code.h"

namespace fermata {
namespace {

constexpr std::int64_t kWhole = TensorSlice::kWholeDimension;

// Splits at each `separator`; "" is one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<TensorSlice::Extent> parse_extent(std::string_view text) {
  if (text == "-") {
    return TensorSlice::Extent{};
  }
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> start = parse_size(text.substr(0, comma));
  const std::optional<std::int64_t> length = parse_size(text.substr(comma + 1));
  if (!start || !length) {
    return std::nullopt;
  }
  return TensorSlice::Extent{*start, *length};
}

std::int64_t length_of(const TensorSlice::Extent& extent, std::int64_t full) noexcept {
  return extent.length == kWhole ? full : extent.length;
}

}  // namespace

std::optional<Shape> slice_shape(const TensorSlice& slice, std::span<const std::int64_t> full_shape) {
  if (slice.extents.size() != full_shape.size()) {
    return std::nullopt;
  }
  Shape shape;
  for (std::size_t i = 0; i < full_shape.size(); ++i) {
    const TensorSlice::Extent& extent = slice.extents[i];
    const std::int64_t length = length_of(extent, full_shape[i]);
    if (extent.start < 0 || length < 0 || extent.start > full_shape[i] ||
        length > full_shape[i] - extent.start) {
      return std::nullopt;
    }
    shape.push_back(length);
  }
  return shape;
}

bool slices_overlap(const TensorSlice& a, const TensorSlice& b, std::span<const std::int64_t> full_shape) {
  for (std::size_t i = 0; i < full_shape.size(); ++i) {
    const std::int64_t a_end = a.extents[i].start + length_of(a.extents[i], full_shape[i]);
    const std::int64_t b_end = b.extents[i].start + length_of(b.extents[i], full_shape[i]);
    if (a_end <= b.extents[i].start || b_end <= a.extents[i].start) {
      return false;
    }
  }
  return true;
}

void copy_slice_into(const void* part, const TensorSlice& slice, std::span<const std::int64_t> full_shape,
                     std::size_t element_bytes, void* whole) {
  const std::optional<Shape> shape = slice_shape(slice, full_shape);
  if (!shape || num_elements(*shape) == 0) {
    return;
  }
  const std::size_t rank = full_shape.size();
  if (rank == 0) {
    std::memcpy(whole, part, element_bytes);
    return;
  }
  // One row of the part after the other; a row lies without gaps in both.
  const std::size_t row_bytes = static_cast<std::size_t>(shape->back()) * element_bytes;
  const auto rows = static_cast<std::size_t>(num_elements(*shape) / shape->back());
  const auto* from = static_cast<const char*>(part);
  std::vector<std::int64_t> at(rank, 0);
  for (std::size_t row = 0; row < rows; ++row, from += row_bytes) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      index = index * static_cast<std::size_t>(full_shape[i]) +
              static_cast<std::size_t>(slice.extents[i].start + at[i]);
    }
    std::memcpy(static_cast<char*>(whole) + index * element_bytes, from, row_bytes);
    for (std::size_t i = rank - 1; i > 0 && ++at[i - 1] == (*shape)[i - 1]; --i) {
      at[i - 1] = 0;
    }
  }
}

std::string slice_text(const TensorSlice& slice) {
  std::string text;
  for (const TensorSlice::Extent& extent : slice.extents) {
    if (!text.empty()) {
      text += ':';
    }
    text +=
        extent.length == kWhole ? "-" : std::to_string(extent.start) + "," + std::to_string(extent.length);
  }
  return text;
}

std::optional<ShapeAndSlice> parse_shape_and_slice(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  const std::string_view slice_word = words.back();
  words.pop_back();
  ShapeAndSlice parsed;
  for (const std::string_view word : words) {
    const std::optional<std::int64_t> size = parse_size(word);
    if (!size) {
      return std::nullopt;
    }
    parsed.full_shape.push_back(*size);
  }
  for (const std::string_view word : split(slice_word, ':')) {
    const std::optional<TensorSlice::Extent> extent = parse_extent(word);
    if (!extent) {
      return std::nullopt;
    }
    parsed.slice.extents.push_back(*extent);
  }
  return slice_shape(parsed.slice, parsed.full_shape) ? std::optional(std::move(parsed)) : std::nullopt;
}

std::string slice_key(std::string_view name, const TensorSlice& slice) {
  std::string key;
  // The leading zero keeps these keys apart from those of whole tensors.
  wire::append_ordered(key, std::uint64_t{0});
  wire::append_ordered(key, name);
  wire::append_ordered(key, static_cast<std::uint64_t>(slice.extents.size()));
  for (const TensorSlice::Extent& extent : slice.extents) {
    wire::append_ordered_signed(key, extent.start);
    wire::append_ordered_signed(key, extent.length);
  }
  return key;
}

}  // namespace fermata
