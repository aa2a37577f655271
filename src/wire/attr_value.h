// Reads and writes AttrValues, the attributes of graph nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

// dtype is a number of tensorflow.DataType.
[[nodiscard]] std::string attr_of_type(std::int32_t dtype);
[[nodiscard]] std::string attr_of_types(std::span<const std::int32_t> dtypes);
[[nodiscard]] std::string attr_of_int(std::int64_t value);
[[nodiscard]] std::string attr_of_bool(bool value);
// A text, not a tensor.
[[nodiscard]] std::string attr_of_string(std::string_view value);
// Absent: unknown rank.
[[nodiscard]] std::string attr_of_shape(const std::optional<std::vector<std::int64_t>>& shape);
// Tensors: a list of strings, one string, a list of int32, one int32, one int64.
[[nodiscard]] std::string attr_of_strings(const std::vector<std::string>& values);
[[nodiscard]] std::string attr_of_string_scalar(std::string_view value);
[[nodiscard]] std::string attr_of_int32s(std::span<const std::int32_t> values);
[[nodiscard]] std::string attr_of_int32_scalar(std::int32_t value);
[[nodiscard]] std::string attr_of_int64_scalar(std::int64_t value);

// What an attribute holds; nothing if it holds something else or cannot be read.
[[nodiscard]] std::optional<std::int32_t> type_in_attr(std::string_view attr);
[[nodiscard]] std::optional<std::vector<std::int32_t>> types_in_attr(std::string_view attr);
// A shape with an unknown rank holds none either.
[[nodiscard]] std::optional<std::vector<std::int64_t>> shape_in_attr(std::string_view attr);
[[nodiscard]] std::optional<std::string> string_in_attr(std::string_view attr);
[[nodiscard]] std::optional<std::string> function_in_attr(std::string_view attr);
// A list of shapes, each as shape_in_attr gives it; empty if it holds something else.
[[nodiscard]] std::vector<std::optional<std::vector<std::int64_t>>> shapes_in_attr(std::string_view attr);
// The elements of a string tensor.
[[nodiscard]] std::optional<std::vector<std::string>> strings_in_attr(std::string_view attr);

}  // namespace fermata::wire
