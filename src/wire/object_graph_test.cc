#include "wire/object_graph.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace fermata::wire {
namespace {

// Two objects, the first with a child, the second with a value.
std::string object_graph() {
  std::string bytes;
  protozero::pbf_writer graph(bytes);
  {
    protozero::pbf_writer root(graph, 1);
    protozero::pbf_writer child(root, 1);
    child.add_int32(1, 1);
    child.add_string(2, "weight");
  }
  protozero::pbf_writer object(graph, 1);
  protozero::pbf_writer value(object, 2);
  value.add_string(1, "VARIABLE_VALUE");
  value.add_string(2, "w");
  value.add_string(3, "weight/.ATTRIBUTES/VARIABLE_VALUE");
  return bytes;
}

TEST(ObjectGraphTest, EachValueHasItsNameAndItsKey) {
  const auto attributes = decode_object_graph(object_graph());
  ASSERT_TRUE(attributes);
  ASSERT_EQ(attributes->size(), 1U);
  EXPECT_EQ(attributes->front().full_name, "w");
  EXPECT_EQ(attributes->front().checkpoint_key, "weight/.ATTRIBUTES/VARIABLE_VALUE");
}

TEST(ObjectGraphTest, EveryBeginningIsReadOrRefused) {
  const std::string whole = object_graph();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto attributes = decode_object_graph(std::string_view(whole).substr(0, size));
    EXPECT_LE(attributes ? attributes->size() : 0U, 1U) << size;
  }
  EXPECT_FALSE(decode_object_graph("text"));
}

}  // namespace
}  // namespace fermata::wire
