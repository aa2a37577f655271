// The edges of a graph in both directions, taken once: what questions about whole graphs are answered from.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"

namespace fermata::tensorflow {

using NodeSet = std::unordered_set<Node>;

// Shows the graph as it was when the index was made.
class GraphIndex {
 public:
  explicit GraphIndex(const EngineGraph& graph);

  [[nodiscard]] const EngineGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::vector<Node> nodes_of_type(std::span<const std::string_view> types) const;
  // Those with an output of `node` among their inputs, in graph order; edges of order do not count.
  [[nodiscard]] const std::vector<Node>& consumers(Node node) const;

 private:
  const EngineGraph& graph_;
  std::vector<Node> nodes_;
  std::unordered_map<Node, std::vector<Node>> consumers_;
};

// The nodes themselves and all that must run before them, by data or by order.
[[nodiscard]] NodeSet with_ancestors(const EngineGraph& graph, std::vector<Node> nodes);

// The source of a value that passes through Identity and the like unchanged.
[[nodiscard]] NodeOutput through_identities(const EngineGraph& graph, NodeOutput output);

// Whether the node lies in a branch of a v1 cond or in a v1 while loop: such a node may not run, or run in
// another frame, and nothing outside can wait for it. Knows the nodes of the index only.
class ControlFlow {
 public:
  explicit ControlFlow(const GraphIndex& index);
  // Any v1 control flow at all.
  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] bool encloses(Node node) const;

 private:
  bool exists_ = false;
  std::unordered_map<Node, int> depths_;
};

}  // namespace fermata::tensorflow
