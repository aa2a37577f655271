#include "fermata/tensor.h"

#include <gtest/gtest.h>

#include <limits>

#include "fermata/error.h"

namespace fermata {
namespace {

TEST(TensorTest, HoldsValuesInRowMajorOrder) {
  const Tensor tensor = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(tensor.dtype(), DType::kFloat);
  EXPECT_EQ(tensor.view().values<float>()[2], 3.0F);
  EXPECT_EQ(tensor.view().byte_size(), 16U);
}

TEST(TensorTest, PlainDataIsAlignedTo64Bytes) {
  for (int i = 0; i < 8; ++i) {
    const Tensor tensor = Tensor::scalar<std::int8_t>(1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.view().data()) % 64, 0U);
  }
}

TEST(TensorTest, CopiesShareTheMemory) {
  const Tensor tensor = Tensor::scalar(1.5);
  const Tensor copy = tensor;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_TRUE(copy.same_memory(tensor));
  EXPECT_FALSE(tensor.view().copy().same_memory(tensor));
}

TEST(TensorTest, AWrongNumberOfValuesIsRefused) {
  EXPECT_THROW(static_cast<void>(Tensor::of<float>({3}, {1, 2})), Error);
  EXPECT_THROW(static_cast<void>(Tensor::strings({2}, {"one"})), Error);
}

TEST(TensorTest, ReadingAnotherTypeIsRefusedWithBothNames) {
  try {
    static_cast<void>(Tensor::scalar(1.0F).view().scalar<std::int64_t>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the value is float32[], but int64 was asked for");
  }
}

TEST(TensorTest, AVectorIsNoScalar) {
  EXPECT_THROW(static_cast<void>(Tensor::of<float>({2}, {1, 2}).view().scalar<float>()), Error);
  EXPECT_EQ(Tensor::of<float>({1, 1}, {7}).view().scalar<float>(), 7.0F);
}

TEST(TensorTest, StringsKeepEveryByte) {
  const std::string all("a\0b\xff", 4);
  const Tensor tensor = Tensor::strings({2}, {all, ""});
  EXPECT_EQ(tensor.view().string(0), all);
  EXPECT_EQ(tensor.view().string(1), "");
  EXPECT_TRUE(identical(tensor.view(), tensor.view().copy().view()));
}

TEST(TensorTest, AdoptedMemoryIsReleasedOnceByTheLastCopy) {
  int released = 0;
  const float value = 1.0F;
  {
    const Tensor tensor = Tensor::adopt(DType::kFloat, {}, &value, [&] { ++released; });
    const Tensor copy = tensor;
    EXPECT_EQ(copy.view().data(), &value);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(TensorTest, AnAdoptionThatFailsLeavesTheMemory) {
  int released = 0;
  EXPECT_THROW(static_cast<void>(Tensor::adopt(DType::kFloat, {-1}, nullptr, [&] { ++released; })), Error);
  EXPECT_EQ(released, 0);
}

TEST(TensorTest, RealNumbersComeAsDouble) {
  EXPECT_EQ(Tensor::scalar(true).view().as_double(), 1.0);
  EXPECT_EQ(Tensor::scalar<std::int64_t>(-3).view().as_double(), -3.0);
  EXPECT_EQ(Tensor::scalar(Half{0x3C00}).view().as_double(), 1.0);
  EXPECT_EQ(Tensor::scalar(Half{0x0001}).view().as_double(), 0x1p-24);
  EXPECT_EQ(Tensor::scalar(BFloat16{0xC000}).view().as_double(), -2.0);
  EXPECT_THROW(static_cast<void>(Tensor::string_scalar("x").view().as_double()), Error);
}

TEST(TensorTest, TextIsTheShortestThatReadsBack) {
  EXPECT_EQ(to_text(Tensor::scalar(0.1F).view()), "0.1");
  EXPECT_EQ(to_text(Tensor::of<std::int64_t>({3}, {1, 2, 3}).view()), "[1 2 3]");
  EXPECT_EQ(to_text(Tensor::of<std::int64_t>({3}, {1, 2, 3}).view(), 2), "[1 2 …]");
  EXPECT_EQ(to_text(Tensor::scalar(std::numeric_limits<float>::quiet_NaN()).view()), "nan");
  EXPECT_EQ(to_text(Tensor::scalar(-std::numeric_limits<float>::quiet_NaN()).view()), "nan");
  EXPECT_EQ(to_text(TensorView()), "nothing");
}

TEST(TensorTest, IdenticalComparesBits) {
  const Tensor nan = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(identical(nan.view(), nan.view().copy().view()));
  EXPECT_FALSE(identical(Tensor::scalar(0.0F).view(), Tensor::scalar(-0.0F).view()));
  EXPECT_FALSE(identical(Tensor::scalar(1.0F).view(), Tensor::of<float>({1}, {1}).view()));
}

TEST(TensorTest, EmptyTensorsHaveAnAddress) {
  const Tensor empty = Tensor::of<float>({0, 3}, std::initializer_list<float>{});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_NE(empty.view().data(), nullptr);
}

}  // namespace
}  // namespace fermata
