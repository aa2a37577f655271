#include "wire/graph_def.h"

#include <gtest/gtest.h>

#include "wire/malformed.h"

namespace fermata::wire {
namespace {

std::string field(int number, const std::string& value) {
  return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(value.size())) + value;
}

const std::string kFunction = field(1, field(1, "f") + field(2, field(1, "x"))) +
                              field(3, field(1, "n") + field(2, "Identity") + field(3, "x") +
                                           field(5, field(1, "T") + field(2, "\x30\x01")));
const std::string kGraph = field(1, field(1, "a")) + field(1, field(1, "b")) + field(2, field(1, kFunction)) +
                           field(4, "\x08\x63") + "\x18\x05";

TEST(GraphDefTest, ReadsAFunction) {
  const FunctionLibrary library(kGraph);
  EXPECT_FALSE(library.contains("g"));
  const FunctionDef function = library.read("f");
  EXPECT_EQ(function.arguments, std::vector<std::string_view>{"x"});
  const NodeDef* const node = function.find("n");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->op, "Identity");
  EXPECT_EQ(node->inputs, std::vector<std::string_view>{"x"});
  EXPECT_EQ(node->attr("T"), "\x30\x01");
  EXPECT_EQ(node->attr("U"), "");
  EXPECT_EQ(function.find("m"), nullptr);
}

TEST(GraphDefTest, NodesAreTakenOut) {
  const std::string rest = without_nodes(kGraph, [](std::string_view name) { return name == "a"; });
  EXPECT_EQ(rest, kGraph.substr(field(1, field(1, "a")).size()));
  EXPECT_EQ(without_nodes(kGraph, [](std::string_view) { return false; }), kGraph);
}

TEST(GraphDefTest, BrokenBytesAreRefused) {
  EXPECT_THROW(static_cast<void>(without_nodes("\x0A\x7F", [](std::string_view) { return false; })),
               Malformed);
  EXPECT_THROW(FunctionLibrary("\x12\x02\x0A\x7F"), Malformed);
}

}  // namespace
}  // namespace fermata::wire
