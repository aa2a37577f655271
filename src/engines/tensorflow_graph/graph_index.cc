#include "engines/tensorflow_graph/graph_index.h"

#include <algorithm>
#include <array>
#include <deque>

namespace fermata::tensorflow {
namespace {

constexpr std::array<std::string_view, 12> kControlFlowTypes = {
    "Switch",   "RefSwitch", "_SwitchN", "Merge",         "RefMerge",         "Enter",
    "RefEnter", "Exit",      "RefExit",  "NextIteration", "RefNextIteration", "LoopCond"};

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

bool is_next_iteration(std::string_view type) {
  return is_one_of(type, {"NextIteration", "RefNextIteration"});
}

// Counts how many branches and loops a node lies in, in an order in which all inputs come first.
class DepthFinder {
 public:
  explicit DepthFinder(const GraphIndex& index) : graph_(index.graph()) {
    for (Node const node : index.nodes()) {
      std::vector<Node>& sources = sources_[node];
      for (const NodeOutput& input : graph_.inputs(node)) {
        sources.push_back(input.node);
      }
      for (Node const source : graph_.control_inputs(node)) {
        sources.push_back(source);
      }
      // The one edge of a loop that goes back.
      loops_[node] = std::erase_if(sources, [&](Node s) { return is_next_iteration(graph_.type(s)); }) > 0;
      waiting_[node] = sources.size();
      for (Node const source : sources) {
        followers_[source].push_back(node);
      }
    }
  }

  std::unordered_map<Node, int> find() {
    std::deque<Node> ready;
    for (const auto& [node, count] : waiting_) {
      if (count == 0) {
        ready.push_back(node);
      }
    }
    while (!ready.empty()) {
      Node const node = ready.front();
      ready.pop_front();
      depths_[node] = depth_of(node);
      for (Node const follower : followers_[node]) {
        if (--waiting_[follower] == 0) {
          ready.push_back(follower);
        }
      }
    }
    std::unordered_map<Node, int> behind;
    for (const auto& [node, depth] : depths_) {
      behind[node] = depth_behind(node);
    }
    return behind;
  }

 private:
  // How deep what comes out of `source` is.
  [[nodiscard]] int depth_behind(Node source) const {
    const int depth = depths_.at(source);
    const std::string_view type = graph_.type(source);
    if (is_one_of(type, {"Enter", "RefEnter"})) {
      return depth + 1;
    }
    if (is_one_of(type, {"Exit", "RefExit"})) {
      return depth - 1;
    }
    return is_one_of(type, {"Switch", "RefSwitch", "_SwitchN"}) && !belongs_to_loop(source) ? depth + 1
                                                                                            : depth;
  }

  [[nodiscard]] bool belongs_to_loop(Node switch_node) const {
    return graph_.type(graph_.input(switch_node, 1).node) == "LoopCond";
  }

  [[nodiscard]] int depth_of(Node node) const {
    int depth = 0;
    for (Node const source : sources_.at(node)) {
      depth = std::max(depth, depth_behind(source));
    }
    const bool closes_cond = is_one_of(graph_.type(node), {"Merge", "RefMerge"}) && !loops_.at(node);
    return closes_cond ? std::max(0, depth - 1) : depth;
  }

  const EngineGraph& graph_;
  std::unordered_map<Node, std::vector<Node>> sources_;
  std::unordered_map<Node, std::vector<Node>> followers_;
  std::unordered_map<Node, std::size_t> waiting_;
  std::unordered_map<Node, bool> loops_;
  std::unordered_map<Node, int> depths_;
};

}  // namespace

GraphIndex::GraphIndex(const EngineGraph& graph) : graph_(graph), nodes_(graph.nodes()) {
  for (Node const node : nodes_) {
    for (const NodeOutput& input : graph.inputs(node)) {
      std::vector<Node>& consumers = consumers_[input.node];
      if (consumers.empty() || consumers.back() != node) {
        consumers.push_back(node);
      }
    }
  }
}

std::vector<Node> GraphIndex::nodes_of_type(std::span<const std::string_view> types) const {
  std::vector<Node> found;
  std::ranges::copy_if(nodes_, std::back_inserter(found),
                       [&](Node node) { return std::ranges::find(types, graph_.type(node)) != types.end(); });
  return found;
}

const std::vector<Node>& GraphIndex::consumers(Node node) const {
  static const std::vector<Node> kNone;
  const auto found = consumers_.find(node);
  return found == consumers_.end() ? kNone : found->second;
}

NodeSet with_ancestors(const EngineGraph& graph, std::vector<Node> nodes) {
  NodeSet seen(nodes.begin(), nodes.end());
  while (!nodes.empty()) {
    Node const node = nodes.back();
    nodes.pop_back();
    const auto visit = [&](Node source) {
      if (seen.insert(source).second) {
        nodes.push_back(source);
      }
    };
    for (const NodeOutput& input : graph.inputs(node)) {
      visit(input.node);
    }
    for (Node const source : graph.control_inputs(node)) {
      visit(source);
    }
  }
  return seen;
}

NodeOutput through_identities(const EngineGraph& graph, NodeOutput output) {
  while (graph.type(output.node) == "Identity" || graph.type(output.node) == "IdentityN") {
    output = graph.input(output.node, output.index);
  }
  return output;
}

ControlFlow::ControlFlow(const GraphIndex& index) : exists_(!index.nodes_of_type(kControlFlowTypes).empty()) {
  if (exists_) {
    depths_ = DepthFinder(index).find();
  }
}

bool ControlFlow::encloses(Node node) const {
  if (!exists_) {
    return false;
  }
  // A node that could not be ordered counts as enclosed: no edge from it is the safe side.
  const auto found = depths_.find(node);
  return found == depths_.end() || found->second > 0;
}

}  // namespace fermata::tensorflow
