#include "hooks/nan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace fermata::hooks {
namespace {

const double kNan = std::nan("");

bool has_nan(const Tensor& value) { return hooks::has_nan(value.view()); }

bool has_nan_bits(DType dtype, std::uint8_t bits) {
  return has_nan(Tensor::from_bytes(dtype, {1}, &bits, 1));
}

TEST(NanTest, FloatsAndDoubles) {
  EXPECT_TRUE(has_nan(Tensor::scalar(std::nanf(""))));
  EXPECT_TRUE(has_nan(Tensor::of<double>({3}, {1.0, 2.0, kNan})));
  EXPECT_FALSE(has_nan(Tensor::of<float>({2}, {1.0F, -std::numeric_limits<float>::infinity()})));
  EXPECT_FALSE(has_nan(Tensor::of<float>({0}, {})));
}

TEST(NanTest, EitherPartOfAComplexNumber) {
  EXPECT_TRUE(has_nan(Tensor::of<std::complex<double>>({2}, {{1, 2}, {3, kNan}})));
  EXPECT_TRUE(has_nan(Tensor::scalar(std::complex<float>(std::nanf(""), 1))));
  EXPECT_FALSE(has_nan(Tensor::scalar(std::complex<float>(1, 2))));
}

TEST(NanTest, HalfPrecisionOfEitherSign) {
  EXPECT_TRUE(has_nan(Tensor::scalar(Half{0x7e00})));
  EXPECT_TRUE(has_nan(Tensor::scalar(Half{0xfc01})));
  EXPECT_FALSE(has_nan(Tensor::scalar(Half{0x7c00})));
  EXPECT_FALSE(has_nan(Tensor::scalar(Half{0xfc00})));
  EXPECT_TRUE(has_nan(Tensor::scalar(BFloat16{0x7fc0})));
  EXPECT_FALSE(has_nan(Tensor::scalar(BFloat16{0xff80})));
}

TEST(NanTest, EightBitFloats) {
  EXPECT_TRUE(has_nan_bits(DType::kFloat8E5M2, 0xfd));
  EXPECT_FALSE(has_nan_bits(DType::kFloat8E5M2, 0x7c));
  EXPECT_TRUE(has_nan_bits(DType::kFloat8E4M3FN, 0xff));
  EXPECT_FALSE(has_nan_bits(DType::kFloat8E4M3FN, 0x7e));
  for (const DType dtype : {DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ, DType::kFloat8E5M2FNUZ}) {
    EXPECT_TRUE(has_nan_bits(dtype, 0x80));
    EXPECT_FALSE(has_nan_bits(dtype, 0xff));
  }
}

TEST(NanTest, WhatHasNoNanHasNone) {
  EXPECT_FALSE(has_nan(Tensor::scalar(std::int32_t{-1})));
  EXPECT_FALSE(has_nan(Tensor::string_scalar("nan")));
  EXPECT_FALSE(hooks::has_nan(TensorView()));
}

}  // namespace
}  // namespace fermata::hooks
