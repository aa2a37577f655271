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
