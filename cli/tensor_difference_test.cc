#include "cli/tensor_difference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fermata::cli {
namespace {

TEST(TensorDifferenceTest, CountsElementsAndFindsTheLargestDistance) {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
  const Tensor b = Tensor::of<float>({4}, {1, 2.5F, 3, 2});
  const TensorDifference found = difference(a.view(), b.view());
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.largest, 2);
  EXPECT_EQ(found.largest_at, 3);
  EXPECT_EQ(difference_text(found), "2 of 4 elements differ, by at most 2 (element 3)");
}

TEST(TensorDifferenceTest, ComparesBits) {
  const Tensor zeros = Tensor::of<double>({2}, {0.0, NAN});
  EXPECT_EQ(difference(zeros.view(), zeros.view()).count, 0);
  const TensorDifference found = difference(zeros.view(), Tensor::of<double>({2}, {-0.0, NAN}).view());
  EXPECT_EQ(found.count, 1);
  EXPECT_EQ(found.largest, 0);
}

TEST(TensorDifferenceTest, NotANumberIsInfinitelyFar) {
  EXPECT_EQ(difference(Tensor::scalar(1.0F).view(), Tensor::scalar(NAN).view()).largest, INFINITY);
}

TEST(TensorDifferenceTest, TextsAndComplexNumbersOnlyDiffer) {
  const Tensor a = Tensor::strings({2}, {"a", "b"});
  const Tensor b = Tensor::strings({2}, {"a", "c"});
  EXPECT_EQ(difference_text(difference(a.view(), b.view())), "1 of 2 elements differ");
}

}  // namespace
}  // namespace fermata::cli
