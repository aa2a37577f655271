#include <gtest/gtest.h>

#include "fermata/error.h"
#include "fermata/tensor.h"

namespace fermata {
namespace {

TEST(DTypeTest, NamesAreThoseOfNumPy) {
  EXPECT_EQ(dtype_name(DType::kFloat), "float32");
  EXPECT_EQ(dtype_name(DType::kHalf), "float16");
  EXPECT_EQ(dtype_name(DType::kUInt64), "uint64");
  EXPECT_EQ(dtype_name(static_cast<DType>(99)), "dtype 99");
}

TEST(DTypeTest, SizesAreThoseOfTheCppTypes) {
  EXPECT_EQ(dtype_size(dtype_of<float>()), sizeof(float));
  EXPECT_EQ(dtype_size(dtype_of<std::complex<double>>()), 16U);
  EXPECT_EQ(dtype_size(dtype_of<BFloat16>()), 2U);
  EXPECT_EQ(dtype_size(DType::kString), 0U);
}

TEST(DTypeTest, ElementsAreTheProductOfTheShape) {
  EXPECT_EQ(num_elements(Shape{}), 1);
  EXPECT_EQ(num_elements(Shape{3, 0, 5}), 0);
  EXPECT_EQ(num_elements(Shape{3, 4}), 12);
}

TEST(DTypeTest, ShapesThatAreNoneAreRefused) {
  EXPECT_THROW(static_cast<void>(num_elements(Shape{-1})), Error);
  EXPECT_THROW(static_cast<void>(num_elements(Shape{INT64_MAX, 2})), Error);
}

TEST(DTypeTest, ShapesPrintShortly) {
  EXPECT_EQ(shape_text(Shape{-1, 64}), "[?,64]");
  EXPECT_EQ(shape_text(Shape{}), "[]");
}

}  // namespace
}  // namespace fermata
