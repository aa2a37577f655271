// TensorFlow's graph as C++ sees it: nodes, edges, attributes, and adding nodes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engines/loader.h"
#include "fermata/graph.h"

namespace fermata::tensorflow {

// An operation of the engine; its own pointer, valid as long as the graph.
using Node = void*;

struct NodeOutput {
  Node node = nullptr;
  std::int32_t index = 0;
  friend auto operator<=>(const NodeOutput&, const NodeOutput&) = default;
};

struct NewNode {
  struct Input {
    std::vector<NodeOutput> outputs;
    bool is_list = false;
  };
  std::string type;
  std::string name;
  std::vector<Input> inputs;
  std::vector<Node> control_inputs;
  std::map<std::string, std::string> attrs;  // serialized AttrValues
  std::string device;
};

// Who adds a node: what is the engine's own is kept out of every definition that is given away.
enum class Visibility { kShown, kHidden };

// Threads: looking things up is safe from any thread, adding too.
class EngineGraph {
 public:
  explicit EngineGraph(const Runtime& runtime);
  ~EngineGraph();
  EngineGraph(const EngineGraph&) = delete;
  EngineGraph& operator=(const EngineGraph&) = delete;

  [[nodiscard]] const FermataPluginApi& api() const noexcept { return api_; }
  [[nodiscard]] void* handle() const noexcept { return graph_; }

  // Throws: Error (engine).
  void import(std::string_view graph_def);

  // Null if there is none.
  [[nodiscard]] Node find(const std::string& name) const;
  // "a:1" or "a"; nothing if there is none.
  [[nodiscard]] std::optional<NodeOutput> find_output(const std::string& name) const;
  // In the order of the graph.
  [[nodiscard]] std::vector<Node> nodes() const;
  [[nodiscard]] bool is_hidden(Node node) const;

  [[nodiscard]] std::string name(Node node) const { return api_.operation_name(node); }
  [[nodiscard]] std::string name(const NodeOutput& output) const;
  [[nodiscard]] std::string_view type(Node node) const { return api_.operation_type(node); }
  [[nodiscard]] std::int32_t num_outputs(Node node) const { return api_.operation_num_outputs(node); }
  [[nodiscard]] std::vector<NodeOutput> inputs(Node node) const;
  // Requires: the node has so many inputs.
  [[nodiscard]] NodeOutput input(Node node, std::int32_t index) const;
  [[nodiscard]] std::vector<Node> control_inputs(Node node) const;
  // A serialized AttrValue; nothing if there is none of this name.
  [[nodiscard]] std::optional<std::string> attr(Node node, const char* attr_name) const;
  // References count as what they refer to.
  [[nodiscard]] DType dtype(const NodeOutput& output) const;
  [[nodiscard]] bool is_reference(const NodeOutput& output) const;
  [[nodiscard]] std::optional<Shape> shape(const NodeOutput& output) const;

  // Throws: Error (engine).
  Node add(const NewNode& node, Visibility visibility);
  // `wanted`, or with "_1", "_2" … if that is taken.
  [[nodiscard]] std::string unique_name(const std::string& wanted) const;
  // Whether nodes were added since import that are not hidden.
  [[nodiscard]] bool grew() const;
  // All but hidden nodes.
  [[nodiscard]] std::string graph_def() const;

 private:
  const FermataPluginApi& api_;
  void* graph_;
  mutable std::mutex mutex_;
  std::set<Node> hidden_;
  bool grew_ = false;
};

}  // namespace fermata::tensorflow
