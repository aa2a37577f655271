#include "checkpoint/json_tree.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fermata {
namespace {

TEST(JsonTreeTest, WhatIsWrittenIsRead) {
  const std::string text =
      "{\n \"a\": [\n  1,\n  -2,\n  0.5,\n  true,\n  null\n ],\n \"b\": {},\n \"c\": \"\\u0001é\"\n}";
  const JsonTree tree = JsonTree::parse(text);
  EXPECT_EQ(tree.at("a").array().size(), 5U);
  EXPECT_EQ(tree.at("a").array()[1].number(), -2.0);
  EXPECT_EQ(tree.at("c").text(), "\x01é");
  EXPECT_EQ(JsonTree::parse(tree.dump()).dump(), tree.dump());
}

TEST(JsonTreeTest, AnotherKindIsRefused) {
  const JsonTree tree = JsonTree::parse(R"({"a": 1})");
  EXPECT_THROW((void)tree.text(), std::invalid_argument);
  EXPECT_THROW((void)tree.at("b"), std::invalid_argument);
  EXPECT_THROW((void)tree.at("a").object(), std::invalid_argument);
}

TEST(JsonTreeTest, ManyBracketsAreRefused) {
  EXPECT_THROW((void)JsonTree::parse(std::string(1'000'000, '[')), std::invalid_argument);
  EXPECT_THROW((void)JsonTree::parse("[1, 2"), std::invalid_argument);
}

}  // namespace
}  // namespace fermata
