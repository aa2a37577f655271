#include "cli/json_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace fermata::cli {
namespace {

std::string text(const Tensor& value) { return json_text(json_value(value.view())); }

TEST(JsonValueTest, AFloatHasAsFewDigitsAsReadBackTheSame) {
  EXPECT_EQ(text(Tensor::scalar(0.1F)), "0.1");
  EXPECT_EQ(text(Tensor::scalar(2.3025851F)), "2.3025851");
  EXPECT_EQ(text(Tensor::scalar(1.0F)), "1.0");
  EXPECT_EQ(text(Tensor::scalar(-0.0F)), "-0.0");
  EXPECT_EQ(text(Tensor::scalar(0.1)), "0.1");
  EXPECT_EQ(text(Tensor::scalar(1.0 / 3)), "0.3333333333333333");
}

TEST(JsonValueTest, EachFloatReadsBackTheSame) {
  // A walk over bit patterns from the smallest to the largest.
  for (std::uint32_t bits = 1; bits < 0x7F800000; bits += 12345677) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    EXPECT_EQ(std::strtof(text(Tensor::scalar(value)).c_str(), nullptr), value);
  }
}

TEST(JsonValueTest, WhatJsonHasNoNumberForIsText) {
  EXPECT_EQ(text(Tensor::scalar(std::nanf(""))), "\"NaN\"");
  EXPECT_EQ(text(Tensor::scalar(std::numeric_limits<double>::infinity())), "\"Infinity\"");
  EXPECT_EQ(text(Tensor::scalar(-std::numeric_limits<float>::infinity())), "\"-Infinity\"");
}

TEST(JsonValueTest, IntegersAreExact) {
  EXPECT_EQ(text(Tensor::scalar(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(text(Tensor::scalar(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
  EXPECT_EQ(text(Tensor::scalar(std::int8_t{-3})), "-3");
}

TEST(JsonValueTest, KeepsTheShape) {
  EXPECT_EQ(text(Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(text(Tensor::of<float>({0}, {})), "[]");
  EXPECT_EQ(json_text(json_value(TensorView())), "null");
}

TEST(JsonValueTest, TakesBoolsAndTexts) {
  EXPECT_EQ(text(Tensor::scalar(true)), "true");
  EXPECT_EQ(text(Tensor::string_scalar("a \"b\"")), "\"a \\\"b\\\"\"");
  EXPECT_EQ(text(Tensor::string_scalar("\xFF")), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace fermata::cli
