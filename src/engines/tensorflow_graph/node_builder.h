// Adds the small nodes that pieces of a graph are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"

namespace fermata::tensorflow {

// All names begin with `scope`.
class NodeBuilder {
 public:
  NodeBuilder(EngineGraph& graph, std::string scope, Visibility visibility = Visibility::kShown)
      : graph_(graph), scope_(std::move(scope)), visibility_(visibility) {}

  // Does nothing, once all of these are done.
  Node no_op(const std::string& name, std::vector<Node> after);
  NodeOutput strings(const std::string& name, const std::vector<std::string>& values);
  NodeOutput string(const std::string& name, const std::string& value);
  NodeOutput integer(const std::string& name, std::int32_t value);
  NodeOutput long_integer(const std::string& name, std::int64_t value);
  NodeOutput integers(const std::string& name, const std::vector<std::int32_t>& values);
  NodeOutput identity(const std::string& name, NodeOutput input, std::vector<Node> after = {});
  // The value of a variable, whichever kind it is.
  NodeOutput read(const std::string& name, Node variable);
  // Gives a variable a value.
  Node assign(const std::string& name, Node variable, NodeOutput value);
  Node add(NewNode node);

 private:
  NodeOutput constant(const std::string& name, DType dtype, std::string value);

  EngineGraph& graph_;
  std::string scope_;
  Visibility visibility_;
};

// A serialized AttrValue that holds the type.
[[nodiscard]] std::string type_attr(DType dtype);

}  // namespace fermata::tensorflow
