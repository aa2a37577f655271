#include "engines/native/capture_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace fermata::native {
namespace {

constexpr std::size_t kMany = 100'000;

TensorView view_of(const std::vector<float>& values, const Shape& shape) {
  return {DType::kFloat, shape, values.data()};
}

TEST(CaptureMemoryTest, ACopyHasTheValuesOfItsMoment) {
  CaptureMemory memory;
  std::vector<float> values(kMany, 1.0F);
  const Shape shape = {static_cast<std::int64_t>(kMany)};
  const Tensor copy = memory.copy(view_of(values, shape));
  std::ranges::fill(values, 2.0F);
  EXPECT_EQ(copy.view().values<float>()[kMany - 1], 1.0F);
}

TEST(CaptureMemoryTest, TheNextCopyTakesTheMemoryOfTheOneThatIsGone) {
  CaptureMemory memory;
  const std::vector<float> values(kMany, 1.0F);
  const Shape shape = {static_cast<std::int64_t>(kMany)};
  Tensor copy = memory.copy(view_of(values, shape));
  const void* place = copy.view().data();
  EXPECT_EQ(memory.free_bytes(), 0);
  copy = {};
  EXPECT_EQ(memory.free_bytes(), kMany * sizeof(float));
  EXPECT_EQ(memory.copy(view_of(values, shape)).view().data(), place);
}

TEST(CaptureMemoryTest, TwoCopiesAtOnceAreApart) {
  CaptureMemory memory;
  const std::vector<float> ones(kMany, 1.0F);
  const std::vector<float> twos(kMany, 2.0F);
  const Shape shape = {static_cast<std::int64_t>(kMany)};
  const Tensor first = memory.copy(view_of(ones, shape));
  const Tensor second = memory.copy(view_of(twos, shape));
  EXPECT_EQ(first.view().values<float>()[0], 1.0F);
  EXPECT_EQ(second.view().values<float>()[0], 2.0F);
}

TEST(CaptureMemoryTest, WhatIsNotUsedGoesBackToTheSystem) {
  CaptureMemory memory;
  const std::vector<float> values(kMany, 1.0F);
  const Shape shape = {static_cast<std::int64_t>(kMany)};
  static_cast<void>(memory.copy(view_of(values, shape)));
  memory.trim();
  EXPECT_EQ(memory.free_bytes(), 0);
}

TEST(CaptureMemoryTest, SmallValuesAndStringsAreNotKept) {
  CaptureMemory memory;
  const float one = 1;
  static_cast<void>(memory.copy({DType::kFloat, {}, &one}));
  EXPECT_EQ(memory.copy(Tensor::string_scalar("text").view()).view().string(0), "text");
  EXPECT_EQ(memory.free_bytes(), 0);
}

TEST(CaptureMemoryTest, ACopyMayOutliveItOnAnotherThread) {
  const std::vector<float> values(kMany, 3.0F);
  const Shape shape = {static_cast<std::int64_t>(kMany)};
  Tensor copy;
  {
    CaptureMemory memory;
    copy = memory.copy(view_of(values, shape));
  }
  std::thread([moved = std::move(copy)]() mutable {
    EXPECT_EQ(moved.view().values<float>()[0], 3.0F);
    moved = {};
  }).join();
}

}  // namespace
}  // namespace fermata::native
