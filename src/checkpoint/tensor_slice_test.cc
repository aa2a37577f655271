#include "checkpoint/tensor_slice.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace fermata {
namespace {

constexpr std::int64_t kWhole = TensorSlice::kWholeDimension;

TEST(TensorSliceTest, ShapeOfAPart) {
  const Shape full{5, 2};
  EXPECT_EQ(slice_shape({{{0, 3}, {0, 2}}}, full), (Shape{3, 2}));
  EXPECT_EQ(slice_shape({{{3, 2}, {0, kWhole}}}, full), (Shape{2, 2}));
  EXPECT_EQ(slice_shape({{{5, 0}, {0, 2}}}, full), (Shape{0, 2}));
  EXPECT_EQ(slice_shape({}, Shape{}), Shape{});
}

TEST(TensorSliceTest, APartThatDoesNotLieWithinHasNoShape) {
  const Shape full{5, 2};
  EXPECT_FALSE(slice_shape({{{3, 3}, {0, 2}}}, full));
  EXPECT_FALSE(slice_shape({{{-1, 2}, {0, 2}}}, full));
  EXPECT_FALSE(slice_shape({{{0, -2}, {0, 2}}}, full));
  EXPECT_FALSE(slice_shape({{{0, 5}}}, full));
  EXPECT_FALSE(slice_shape({{{INT64_MAX, INT64_MAX}, {0, 2}}}, full));
}

TEST(TensorSliceTest, Overlap) {
  const Shape full{5, 2};
  const TensorSlice top{{{0, 3}, {0, kWhole}}};
  EXPECT_FALSE(slices_overlap(top, {{{3, 2}, {0, 2}}}, full));
  EXPECT_TRUE(slices_overlap(top, {{{2, 2}, {1, 1}}}, full));
  EXPECT_FALSE(slices_overlap({{{0, 3}, {0, 1}}}, {{{0, 3}, {1, 1}}}, full));
}

TEST(TensorSliceTest, CopiesRowsIntoTheirPlace) {
  const Shape full{2, 3, 4};
  std::array<std::int32_t, 24> whole{};
  std::array<std::int32_t, 8> part{};
  std::iota(part.begin(), part.end(), 1);
  copy_slice_into(part.data(), {{{0, 2}, {1, 2}, {2, 2}}}, full, sizeof(std::int32_t), whole.data());
  const std::array<std::int32_t, 24> expected = {0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4,
                                                 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 7, 8};
  EXPECT_EQ(whole, expected);
}

TEST(TensorSliceTest, CopiesAScalarAndNothing) {
  std::int32_t whole = 0;
  const std::int32_t part = 7;
  copy_slice_into(&part, {}, Shape{}, sizeof(part), &whole);
  EXPECT_EQ(whole, 7);
  copy_slice_into(nullptr, {{{1, 0}}}, Shape{1}, sizeof(part), &whole);
  EXPECT_EQ(whole, 7);
}

TEST(TensorSliceTest, ReadsTheNotationOfGraphs) {
  const auto parsed = parse_shape_and_slice("5 2 0,3:-");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->full_shape, (Shape{5, 2}));
  EXPECT_EQ(parsed->slice, (TensorSlice{{{0, 3}, {0, kWhole}}}));
  EXPECT_EQ(slice_text(parsed->slice), "0,3:-");
  for (const char* text : {"", "5 2", "5 2 0,3", "5 2 0,9:0,2", "5 x 0,3:-", "5 2 0,3:0;2", "5 2 -1,3:-"}) {
    EXPECT_FALSE(parse_shape_and_slice(text)) << text;
  }
}

// From an index that the reference wrote.
TEST(TensorSliceTest, KeysAreThoseOfTheReference) {
  EXPECT_EQ(slice_key("table", {{{0, 3}, {0, 2}}}), std::string("\0table\0\1\1\2\x80\x83\x80\x82", 14));
  EXPECT_EQ(slice_key("table", {{{3, 2}, {0, 2}}}), std::string("\0table\0\1\1\2\x83\x82\x80\x82", 14));
}

}  // namespace
}  // namespace fermata
