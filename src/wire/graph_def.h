// Looks into a serialized GraphDef where the engine itself tells nothing: the bodies of functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fermata::wire {

// Views are into the bytes that were read.
struct NodeDef {
  std::string_view name;
  std::string_view op;
  // "node", "node:1", "^node"; inside of a function "node:output:0" or the name of an argument.
  std::vector<std::string_view> inputs;
  // Serialized AttrValues.
  std::vector<std::pair<std::string_view, std::string_view>> attrs;

  // Empty if there is none.
  [[nodiscard]] std::string_view attr(std::string_view attr_name) const;
};

struct FunctionDef {
  std::string_view name;
  std::vector<std::string_view> arguments;
  std::vector<NodeDef> nodes;

  // Null if there is none.
  [[nodiscard]] const NodeDef* find(std::string_view node) const;
};

// The functions of a graph, read one by one when they are asked for. Views into the graph's bytes.
class FunctionLibrary {
 public:
  FunctionLibrary() = default;
  // Throws: Malformed.
  explicit FunctionLibrary(std::string_view graph_def);

  [[nodiscard]] bool contains(std::string_view name) const { return functions_.contains(name); }
  // Requires: contains(name). Throws: Malformed.
  [[nodiscard]] FunctionDef read(std::string_view name) const;

 private:
  std::map<std::string_view, std::string_view> functions_;
};

// The same GraphDef without the nodes of which `drop` says true. Throws: Malformed.
[[nodiscard]] std::string without_nodes(std::string_view graph_def,
                                        const std::function<bool(std::string_view name)>& drop);

}  // namespace fermata::wire
