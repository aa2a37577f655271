#include "wire/attr_value.h"

#include <gtest/gtest.h>

#include <array>

namespace fermata::wire {
namespace {

TEST(AttrValueTest, WhatIsWrittenIsRead) {
  EXPECT_EQ(type_in_attr(attr_of_type(9)), 9);
  EXPECT_EQ(types_in_attr(attr_of_types(std::array{1, 9, 7})), (std::vector<std::int32_t>{1, 9, 7}));
  EXPECT_EQ(shape_in_attr(attr_of_shape(std::vector<std::int64_t>{3, -1})),
            (std::vector<std::int64_t>{3, -1}));
  EXPECT_EQ(strings_in_attr(attr_of_strings({"a", "", "c"})), (std::vector<std::string>{"a", "", "c"}));
  EXPECT_EQ(strings_in_attr(attr_of_string_scalar("model")), std::vector<std::string>{"model"});
  EXPECT_EQ(strings_in_attr(attr_of_strings({})), std::vector<std::string>());
}

TEST(AttrValueTest, ScalarShapeIsNoUnknownShape) {
  EXPECT_EQ(shape_in_attr(attr_of_shape(std::vector<std::int64_t>{})), std::vector<std::int64_t>());
  EXPECT_EQ(shape_in_attr(attr_of_shape(std::nullopt)), std::nullopt);
  EXPECT_EQ(shape_in_attr(""), std::nullopt);
}

// As a list of attribute `_output_shapes`: [2,-1], unknown, a scalar.
TEST(AttrValueTest, ReadsAListOfShapes) {
  const std::string two_sizes =
      std::string("\x12\x02\x08\x02") + "\x12\x0B\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01";
  const std::string list =
      std::string("\x3A\x11") + two_sizes + "\x3A\x02\x18\x01" + std::string("\x3A\x00", 2);
  const std::string attr = std::string("\x0A") + static_cast<char>(list.size()) + list;
  const auto shapes = shapes_in_attr(attr);
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0], (std::vector<std::int64_t>{2, -1}));
  EXPECT_EQ(shapes[1], std::nullopt);
  EXPECT_EQ(shapes[2], std::vector<std::int64_t>());
  EXPECT_TRUE(shapes_in_attr(attr_of_int(4)).empty());
  EXPECT_TRUE(shapes_in_attr("\x0A\x7F").empty());
}

TEST(AttrValueTest, OtherKindsAndBrokenBytesHoldNothing) {
  EXPECT_EQ(type_in_attr(attr_of_bool(true)), std::nullopt);
  EXPECT_EQ(strings_in_attr(attr_of_int32s(std::array{1, 2})), std::nullopt);
  EXPECT_EQ(string_in_attr("\x12\x7F"), std::nullopt);
  EXPECT_EQ(function_in_attr(attr_of_int(4)), std::nullopt);
  EXPECT_EQ(function_in_attr("\x52\x03\x0A\x01"
                             "f"),
            "f");
}

// TensorFlow stores a tensor of equal strings with the string once.
TEST(AttrValueTest, ShortListRepeatsItsLast) {
  std::string attr = attr_of_strings({"-", "-", "-"});
  const std::string thrice = "\x42\x01-\x42\x01-\x42\x01-";
  const std::size_t at = attr.find(thrice);
  ASSERT_NE(at, std::string::npos);
  attr.replace(at, thrice.size(), "\x42\x01-");
  attr[1] = static_cast<char>(attr[1] - 6);
  EXPECT_EQ(strings_in_attr(attr), (std::vector<std::string>{"-", "-", "-"}));
}

}  // namespace
}  // namespace fermata::wire
