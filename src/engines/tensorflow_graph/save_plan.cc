#include "engines/tensorflow_graph/save_plan.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engines/tensorflow_graph/node_builder.h"
#include "engines/tensorflow_graph/variables.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

constexpr std::string_view kSave = "SaveV2";
// Before the values SaveV2 takes the file name, the keys and the slices.
constexpr std::size_t kFirstValue = 3;

using Entries = std::vector<SavedEntry>;

// Keys and slices; the values are still missing.
std::optional<Entries> entries_of(std::string_view names_attr, std::string_view slices_attr,
                                  std::size_t count) {
  const auto names = wire::strings_in_attr(names_attr);
  const auto slices = wire::strings_in_attr(slices_attr);
  if (!names || !slices || names->size() != count || slices->size() != count) {
    return std::nullopt;
  }
  Entries entries(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries[i].key = (*names)[i];
    entries[i].slice = (*slices)[i];
  }
  return entries;
}

// A read of a resource variable, or a constant.
bool stays(const EngineGraph& graph, NodeOutput value) {
  const std::string_view type = graph.type(through_identities(graph, value).node);
  return type == "ReadVariableOp" || type == "Const";
}

// --- save operations made of nodes

Entries entries_in_graph(const EngineGraph& graph, Node save_op) {
  Entries all;
  const NodeSet needed = with_ancestors(graph, {save_op});
  for (Node const node : graph.nodes()) {
    if (graph.type(node) != kSave || !needed.contains(node)) {
      continue;
    }
    const std::vector<NodeOutput> inputs = graph.inputs(node);
    const auto constant = [&](std::size_t place) {
      return graph.attr(inputs[place].node, "value").value_or(std::string());
    };
    std::optional<Entries> entries = entries_of(constant(1), constant(2), inputs.size() - kFirstValue);
    if (!entries) {
      return {};
    }
    for (std::size_t i = 0; i < entries->size(); ++i) {
      (*entries)[i].value = inputs[kFirstValue + i];
      (*entries)[i].stays = stays(graph, (*entries)[i].value);
    }
    all.insert(all.end(), entries->begin(), entries->end());
  }
  return all;
}

// --- save operations that call a function

std::string_view node_name(std::string_view input) { return input.substr(0, input.find(':')); }

class FunctionSave {
 public:
  FunctionSave(EngineGraph& graph, wire::FunctionDef function, Node call)
      : builder_(graph, "fermata/capture", Visibility::kHidden),
        graph_(graph),
        function_(std::move(function)),
        inputs_(graph.inputs(call)) {}

  // Empty if a value cannot be told.
  Entries run() {
    Entries all;
    for (const wire::NodeDef& node : function_.nodes) {
      if (node.op != kSave || node.inputs.size() < kFirstValue) {
        continue;
      }
      std::optional<Entries> entries =
          entries_of(constant(node.inputs[1]), constant(node.inputs[2]), data_inputs(node) - kFirstValue);
      if (!entries) {
        return {};
      }
      for (std::size_t i = 0; i < entries->size(); ++i) {
        if (!find_value(node.inputs[kFirstValue + i], (*entries)[i])) {
          return {};
        }
      }
      all.insert(all.end(), entries->begin(), entries->end());
    }
    return all;
  }

 private:
  // Edges of order come last.
  static std::size_t data_inputs(const wire::NodeDef& node) {
    return static_cast<std::size_t>(
        std::ranges::count_if(node.inputs, [](std::string_view input) { return !input.starts_with('^'); }));
  }

  [[nodiscard]] std::string_view constant(std::string_view input) const {
    const wire::NodeDef* const node = function_.find(node_name(input));
    return node == nullptr ? std::string_view() : node->attr("value");
  }

  // Follows a value back to an argument of the function, and to what the graph hands over there.
  bool find_value(std::string_view input, SavedEntry& entry) {
    bool read = false;
    while (const wire::NodeDef* const node = function_.find(node_name(input))) {
      if ((node->op != "Identity" && node->op != "ReadVariableOp") || node->inputs.empty()) {
        return false;
      }
      read = read || node->op == "ReadVariableOp";
      input = node->inputs.front();
    }
    const auto argument = std::ranges::find(function_.arguments, node_name(input));
    const auto place = static_cast<std::size_t>(argument - function_.arguments.begin());
    if (place >= inputs_.size()) {
      return false;
    }
    entry.value = inputs_[place];
    if (read) {
      if (!is_variable(graph_, entry.value.node)) {
        return false;
      }
      entry.value = builder_.read("value", entry.value.node);
    }
    entry.stays = stays(graph_, entry.value);
    return true;
  }

  NodeBuilder builder_;
  EngineGraph& graph_;
  wire::FunctionDef function_;
  std::vector<NodeOutput> inputs_;
};

Entries entries_in_function(EngineGraph& graph, const wire::FunctionLibrary& functions, Node call) {
  const std::optional<std::string> name =
      wire::function_in_attr(graph.attr(call, "f").value_or(std::string()));
  if (!name || !functions.contains(*name)) {
    return {};
  }
  return FunctionSave(graph, functions.read(*name), call).run();
}

// The call itself, or what the saver's tensor waits for.
Node find_call(const EngineGraph& graph, Node save_op) {
  if (graph.attr(save_op, "f")) {
    return save_op;
  }
  const std::vector<NodeOutput> inputs = graph.inputs(save_op);
  for (const NodeOutput& input : inputs) {
    if (graph.attr(input.node, "f")) {
      return input.node;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<SavedEntry> find_saved_entries(EngineGraph& graph, const wire::FunctionLibrary& functions,
                                           Node save_op) {
  Entries entries = entries_in_graph(graph, save_op);
  if (entries.empty()) {
    if (Node const call = find_call(graph, save_op)) {
      entries = entries_in_function(graph, functions, call);
    }
  }
  return entries;
}

}  // namespace fermata::tensorflow
