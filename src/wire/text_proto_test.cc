#include "wire/text_proto.h"

#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

// "name=value" of each field, strings in quotes; or the error.
std::string parsed(std::string_view text) {
  const auto result = parse_text_fields(text);
  if (const TextError* error = std::get_if<TextError>(&result)) {
    return "line " + std::to_string(error->line) + ": expected " + error->expected;
  }
  std::string out;
  for (const TextField& field : std::get<std::vector<TextField>>(result)) {
    out += (out.empty() ? "" : " ") + field.name + "=" +
           (field.is_string ? "'" + field.value + "'" : field.value);
  }
  return out;
}

std::string written(std::string_view value) {
  std::string out;
  append_text_field(out, "f", value);
  return out;
}

std::string written(double value) {
  std::string out;
  append_text_field(out, "f", value);
  return out;
}

TEST(TextProtoTest, OneFieldPerLine) {
  EXPECT_EQ(parsed("a: \"x\"\nb: 1.5\nb: -2e3\n"), "a='x' b=1.5 b=-2e3");
}

TEST(TextProtoTest, SeveralFieldsOnALine) {
  EXPECT_EQ(parsed("a:'x' b:2,c:3;d:\"y\""), "a='x' b=2 c=3 d='y'");
}

TEST(TextProtoTest, CommentsAndSpace) {
  EXPECT_EQ(parsed("# first\n\t a : # between\r\n \"x\" # last"), "a='x'");
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("# nothing"), "");
}

TEST(TextProtoTest, AdjacentPiecesAreOneString) { EXPECT_EQ(parsed("a: \"x\" 'y'\n\"z\""), "a='xyz'"); }

TEST(TextProtoTest, Escapes) {
  EXPECT_EQ(parsed(R"(a: "q\"q\'\\\n\t")"), "a='q\"q'\\\n\t'");
  EXPECT_EQ(parsed(R"(a: "\303\251\x41\101\u00e9\U0001F600")"), "a='\u00e9AA\u00e9\U0001F600'");
  EXPECT_EQ(parsed(R"(a: "\0")"), std::string("a='\0'", 5));
}

TEST(TextProtoTest, OtherValuesAreReadOver) {
  EXPECT_EQ(parsed("m { n: 1 o < p: 'x' > } a: 1"), "a=1");
  EXPECT_EQ(parsed("m: { n: [1, 2, \"x\" 'y', {o: 3}] } l: [] a: 1"), "a=1");
  EXPECT_EQ(parsed("[ext.name]: 3 a: 1"), "ext.name=3 a=1");
}

TEST(TextProtoTest, SaysWhereItStopsBeingOne) {
  EXPECT_EQ(parsed("model_checkpoint_path: \n{"), "line 2: expected }");
  EXPECT_EQ(parsed("a: 1\nb: \"x\ny\""), "line 2: expected the end of a string before the end of the line");
  EXPECT_EQ(parsed("a: 1\n:"), "line 2: expected the name of a field");
  EXPECT_EQ(parsed("a 1"), "line 1: expected a value");
  EXPECT_EQ(parsed("a \"x\""), "line 1: expected ':' after a");
  EXPECT_EQ(parsed("a: \"x"), "line 1: expected the end of a string");
  EXPECT_EQ(parsed("a: \"\\"), "line 1: expected an escape");
  EXPECT_EQ(parsed("a: \"\\q\""), "line 1: expected a known escape");
  EXPECT_EQ(parsed("a: \"\\xzz\""), "line 1: expected hexadecimal digits");
  EXPECT_EQ(parsed("l: [1 2]"), "line 1: expected ',' or ']'");
  EXPECT_EQ(parsed("\x01\x02"), "line 1: expected the name of a field");
}

TEST(TextProtoTest, DeepNestingIsRefused) {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += "m{";
  }
  EXPECT_EQ(parsed(text), "line 1: expected fewer levels");
}

TEST(TextProtoTest, EveryBeginningOfATextIsReadOrRefused) {
  const std::string text = "a: \"x\\n\\303\" 'y' # c\n m { n: [1, {o: 2}] } b: 1.5;";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    EXPECT_NO_THROW(parsed(text.substr(0, size)));
  }
}

TEST(TextProtoTest, WritesStrings) {
  EXPECT_EQ(written("m-1"), "f: \"m-1\"\n");
  EXPECT_EQ(written("a \"b\"\\c'\u00e9\t\n\r"), "f: \"a \\\"b\\\"\\\\c\\'\u00e9\\t\\n\\r\"\n");
  EXPECT_EQ(written(std::string_view("\0\x1f\x7f", 3)), "f: \"\\000\\037\\177\"\n");
}

TEST(TextProtoTest, WritesNumbers) {
  EXPECT_EQ(written(1700000000.5), "f: 1700000000.5\n");
  EXPECT_EQ(written(1699999999.0), "f: 1699999999.0\n");
  EXPECT_EQ(written(1.7e9), "f: 1700000000.0\n");
  EXPECT_EQ(written(0.0), "f: 0.0\n");
  EXPECT_EQ(written(-0.25), "f: -0.25\n");
  EXPECT_EQ(written(1e300), "f: 1e+300\n");
  EXPECT_EQ(written(1e-300), "f: 1e-300\n");
}

TEST(TextProtoTest, WhatIsWrittenIsRead) {
  std::string all;
  for (int c = 0; c < 256; ++c) {
    all.push_back(static_cast<char>(c));
  }
  EXPECT_EQ(parsed(written(all)), "f='" + all + "'");
}

}  // namespace
}  // namespace fermata::wire
