#include "engines/tensorflow_graph/operation_cost.h"

#include <gtest/gtest.h>

namespace fermata::tensorflow {
namespace {

double cost(std::string_view type, const std::vector<KnownShape>& inputs, const KnownShape& output) {
  return operation_cost(type, inputs, std::vector<KnownShape>{output});
}

TEST(OperationCostTest, AProductCostsWhatItsThreeSizesSay) {
  const double product = cost("MatMul", {Shape{32, 64}, Shape{64, 16}}, Shape{32, 16});
  EXPECT_DOUBLE_EQ(product, 0.1 * 2 * 32 * 64 * 16);
  // Transposed on either side.
  EXPECT_DOUBLE_EQ(cost("MatMul", {Shape{64, 32}, Shape{16, 64}}, Shape{32, 16}), product);
  EXPECT_DOUBLE_EQ(cost("BatchMatMulV2", {Shape{5, 32, 64}, Shape{5, 64, 16}}, Shape{5, 32, 16}),
                   5 * product);
}

TEST(OperationCostTest, AConvolutionCostsTheSameForwardAndBackward) {
  const Shape image = {4, 28, 28, 8};
  const Shape filter = {3, 3, 8, 16};
  const Shape result = {4, 28, 28, 16};
  const Shape sizes = {4};
  const double forward = cost("Conv2D", {image, filter}, result);
  EXPECT_DOUBLE_EQ(forward, 0.1 * 2 * 4 * 28 * 28 * 16 * 3 * 3 * 8);
  EXPECT_DOUBLE_EQ(cost("Conv2DBackpropInput", {sizes, filter, result}, image), forward);
  EXPECT_DOUBLE_EQ(cost("Conv2DBackpropFilter", {image, sizes, result}, filter), forward);
}

TEST(OperationCostTest, OtherOperationsCostByTheElementsThatTheyRead) {
  EXPECT_DOUBLE_EQ(cost("Mean", {Shape{1000}, Shape{1}}, Shape{}), 500);
  EXPECT_GT(cost("Tanh", {Shape{1000}}, Shape{1000}), cost("Add", {Shape{1000}, Shape{}}, Shape{1000}));
  EXPECT_GT(cost("Cholesky", {Shape{100, 100}}, Shape{100, 100}), 100 * 100 * 50);
  EXPECT_EQ(cost("Reshape", {Shape{1000}, Shape{2}}, Shape{10, 100}), 0);
}

TEST(OperationCostTest, WhatIsUnknownIsTakenForAUsualSize) {
  EXPECT_DOUBLE_EQ(cost("Add", {Shape{-1, 10}, Shape{}}, Shape{-1, 10}), 0.5 * 64 * 10);
  EXPECT_DOUBLE_EQ(cost("Add", {std::nullopt, std::nullopt}, std::nullopt), 0.5);
  EXPECT_GE(cost("MatMul", {std::nullopt, std::nullopt}, std::nullopt), 0);
  EXPECT_GE(cost("Conv2DBackpropInput", {Shape{4}, std::nullopt}, std::nullopt), 0);
  EXPECT_EQ(operation_cost("MatMul", {}, {}), 0);
}

}  // namespace
}  // namespace fermata::tensorflow
