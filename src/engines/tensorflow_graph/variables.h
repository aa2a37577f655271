// The variables of a graph: from its collections, or found by looking for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/graph_index.h"
#include "fermata/graph.h"
#include "wire/meta_graph.h"

namespace fermata::tensorflow {

struct Variable {
  VariableInfo info;
  Node node = nullptr;
  // A handle to the value; otherwise the node's output is a reference to the value itself.
  bool is_resource = false;
  Node initializer = nullptr;  // null: none is known
  std::string snapshot;        // a tensor that reads it; may be empty
};

[[nodiscard]] bool is_variable(const EngineGraph& graph, Node node);
[[nodiscard]] bool is_resource_variable(const EngineGraph& graph, Node node);
// dtype and shape of the value, not of the handle.
[[nodiscard]] TensorSpec variable_spec(const EngineGraph& graph, Node node);

using Collections = std::map<std::string, wire::Collection, std::less<>>;

// Those of the collections of global and local variables, in their order. Throws: Error for one that the
// graph does not have.
[[nodiscard]] std::vector<Variable> listed_variables(const EngineGraph& graph,
                                                     const Collections& collections);

// All nodes that are variables, with the initial assignments that can be told from others.
[[nodiscard]] std::vector<Variable> found_variables(const GraphIndex& index);

}  // namespace fermata::tensorflow
