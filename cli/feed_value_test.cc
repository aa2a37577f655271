#include "cli/feed_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;

Tensor parse(const std::string& text, DType dtype, std::optional<Shape> shape = Shape{}) {
  return parse_feed_value("--feed a", text, {dtype, std::move(shape)});
}

std::string refusal(const std::string& text, DType dtype, std::optional<Shape> shape = Shape{}) {
  try {
    static_cast<void>(parse(text, dtype, std::move(shape)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FeedValueTest, ReadsNumbers) {
  EXPECT_EQ(parse("0.5", DType::kFloat).view().scalar<float>(), 0.5F);
  EXPECT_EQ(parse("1", DType::kDouble).view().scalar<double>(), 1);
  EXPECT_EQ(parse("-7", DType::kInt64).view().scalar<std::int64_t>(), -7);
  EXPECT_EQ(parse("18446744073709551615", DType::kUInt64).view().scalar<std::uint64_t>(), UINT64_MAX);
  EXPECT_TRUE(std::isnan(parse("nan", DType::kFloat).view().scalar<float>()));
  EXPECT_EQ(parse("-inf", DType::kDouble).view().scalar<double>(), -INFINITY);
}

TEST(FeedValueTest, ReadsBools) {
  EXPECT_TRUE(parse("true", DType::kBool).view().scalar<bool>());
  EXPECT_FALSE(parse("0", DType::kBool).view().scalar<bool>());
  EXPECT_NE(refusal("2", DType::kBool), "accepted");
}

TEST(FeedValueTest, ReadsTexts) {
  EXPECT_EQ(parse("a b", DType::kString).view().string(), "a b");
  EXPECT_EQ(parse("5", DType::kString).view().string(), "5");
  EXPECT_EQ(parse("", DType::kString).view().string(), "");
  EXPECT_EQ(parse(R"(["a","b"])", DType::kString, Shape{-1}).view().string(1), "b");
}

TEST(FeedValueTest, ReadsLists) {
  const Tensor value = parse("[[1,2],[3,4],[5,6]]", DType::kInt32, Shape{-1, 2});
  EXPECT_THAT(value.shape(), ElementsAre(3, 2));
  EXPECT_THAT(value.view().values<std::int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(parse("[]", DType::kFloat, Shape{-1}).size(), 0);
}

TEST(FeedValueTest, AnyShapeDoesWhereTheGraphKnowsNone) {
  EXPECT_THAT(parse("[1,2]", DType::kFloat, std::nullopt).shape(), ElementsAre(2));
  EXPECT_TRUE(parse("1", DType::kFloat, std::nullopt).shape().empty());
}

TEST(FeedValueTest, RefusesAnotherType) {
  EXPECT_EQ(refusal("0.5", DType::kInt32), "--feed a: expected int32 [], found '0.5'");
  EXPECT_EQ(refusal("fast", DType::kFloat), "--feed a: expected float32 [], found 'fast'");
  EXPECT_EQ(refusal("300", DType::kUInt8), "--feed a: expected uint8 [], found '300'");
  EXPECT_NE(refusal("-1", DType::kUInt64), "accepted");
  EXPECT_NE(refusal("true", DType::kFloat), "accepted");
  EXPECT_NE(refusal("{}", DType::kFloat), "accepted");
}

TEST(FeedValueTest, RefusesAnotherShape) {
  EXPECT_EQ(refusal("1", DType::kFloat, Shape{-1, 2}),
            "--feed a: expected float32 [?,2], found '1' of shape []; lists are written [1,2,3]");
  EXPECT_NE(refusal("[1,2]", DType::kFloat), "accepted");
  EXPECT_NE(refusal("[1,2,3]", DType::kFloat, Shape{2}), "accepted");
}

TEST(FeedValueTest, RefusesListsOfDifferentLengths) {
  for (const char* text : {"[[1,2],[3]]", "[1,[2]]", "[[1],2]", "[[],[1]]"}) {
    EXPECT_EQ(refusal(text, DType::kFloat, std::nullopt),
              std::string("--feed a: lists inside of '") + text + "' have different lengths");
  }
}

TEST(FeedValueTest, RefusesTypesThatCannotBeTyped) {
  EXPECT_EQ(refusal("1", DType::kHalf),
            "--feed a: a float16 cannot be typed; put it into a .npy file and give it as input");
}

}  // namespace
}  // namespace fermata::cli
