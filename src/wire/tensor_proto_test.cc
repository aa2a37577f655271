#include "wire/tensor_proto.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace fermata::wire {
namespace {

template <typename T>
std::string bytes_of(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
std::optional<double> first(std::int32_t dtype, T value) {
  const auto seen = glance_at_tensor(encode_tensor(dtype, {}, bytes_of(value)));
  return seen ? seen->first_number : std::nullopt;
}

TEST(TensorProtoTest, FirstNumberOfEachRealType) {
  EXPECT_EQ(first(1, 1.5F), 1.5);
  EXPECT_EQ(first(2, 2.5), 2.5);
  EXPECT_EQ(first(3, std::int32_t{-3}), -3);
  EXPECT_EQ(first(4, std::uint8_t{200}), 200);
  EXPECT_EQ(first(5, std::int16_t{-300}), -300);
  EXPECT_EQ(first(6, std::int8_t{-5}), -5);
  EXPECT_EQ(first(9, std::int64_t{1} << 40), 1099511627776.0);
  EXPECT_EQ(first(10, true), 1);
  EXPECT_EQ(first(23, std::uint64_t{7}), 7);
  EXPECT_FALSE(first(8, 1.5F)) << "complex";
}

// As Python's make_tensor_proto writes a single value.
TEST(TensorProtoTest, ValuesInFieldsOfTheirOwn) {
  const std::string shape_of_scalar("\x12\x00", 2);
  EXPECT_EQ(glance_at_tensor("\x08\x01" + shape_of_scalar + "\x2a\x04" + bytes_of(0.5F))->first_number, 0.5);
  EXPECT_EQ(glance_at_tensor("\x08\x01" + shape_of_scalar + "\x2d" + bytes_of(0.5F))->first_number, 0.5);
  EXPECT_EQ(glance_at_tensor("\x08\x03" + shape_of_scalar + "\x38\x07")->first_number, 7);
  EXPECT_EQ(glance_at_tensor("\x08\x07" + shape_of_scalar + "\x42\x02hi")->strings.at(0), "hi");
}

TEST(TensorProtoTest, ShapesAndStringsComeBack) {
  const std::array<std::string_view, 2> texts = {"a", ""};
  const std::array<std::int64_t, 2> shape = {1, 2};
  const auto seen = glance_at_tensor(encode_strings(shape, texts));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->dtype, 7);
  EXPECT_EQ(seen->shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(seen->strings, (std::vector<std::string>{"a", ""}));
}

TEST(TensorProtoTest, WhatIsNoTensorIsNothing) {
  EXPECT_FALSE(glance_at_tensor("\x0a\x7f"));
  EXPECT_FALSE(glance_at_tensor("\x2d\x01")) << "torn";
  EXPECT_EQ(glance_at_tensor("")->first_number, std::nullopt);
}

}  // namespace
}  // namespace fermata::wire
