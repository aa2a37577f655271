#include "engines/tensorflow_graph/restore_plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engines/tensorflow_graph/variables.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

// The entries of one RestoreV2, without their variables.
std::vector<RestoredEntry> entries_of(std::string_view names_attr, std::string_view slices_attr,
                                      std::string_view dtypes_attr) {
  const auto names = wire::strings_in_attr(names_attr);
  const auto slices = wire::strings_in_attr(slices_attr);
  const auto dtypes = wire::types_in_attr(dtypes_attr);
  std::vector<RestoredEntry> entries;
  if (!names || !slices || !dtypes || names->size() != slices->size() || names->size() != dtypes->size()) {
    return entries;
  }
  for (std::size_t i = 0; i < names->size(); ++i) {
    RestoredEntry& entry = entries.emplace_back();
    entry.key = (*names)[i];
    entry.slice = (*slices)[i];
    entry.dtype = static_cast<DType>((*dtypes)[i]);
  }
  return entries;
}

// --- restore operations made of nodes

std::string attr_of(const EngineGraph& graph, const NodeOutput& constant, const char* name) {
  return graph.attr(constant.node, name).value_or(std::string());
}

bool assigns(std::string_view type) { return type == "AssignVariableOp" || type == "Assign"; }

// Follows an output of RestoreV2 to the assignment it ends in.
void find_variable(const GraphIndex& index, NodeOutput value, RestoredEntry& entry) {
  const EngineGraph& graph = index.graph();
  for (Node const consumer : index.consumers(value.node)) {
    const std::vector<NodeOutput> inputs = graph.inputs(consumer);
    if (std::ranges::find(inputs, value) == inputs.end()) {
      continue;
    }
    if (assigns(graph.type(consumer))) {
      entry.variable = inputs.front().node;
      return;
    }
    if (graph.type(consumer) == "Identity" || graph.type(consumer) == "Reshape") {
      entry.reshaped = entry.reshaped || graph.type(consumer) == "Reshape";
      find_variable(index, {consumer, 0}, entry);
    }
  }
}

std::vector<RestoredEntry> entries_in_graph(const GraphIndex& index, Node restore_op) {
  const EngineGraph& graph = index.graph();
  const NodeSet needed = with_ancestors(graph, {restore_op});
  std::vector<RestoredEntry> all;
  for (Node const node : index.nodes()) {
    if (graph.type(node) != "RestoreV2" || !needed.contains(node)) {
      continue;
    }
    std::vector<RestoredEntry> entries = entries_of(attr_of(graph, graph.input(node, 1), "value"),
                                                    attr_of(graph, graph.input(node, 2), "value"),
                                                    graph.attr(node, "dtypes").value_or(std::string()));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      find_variable(index, {node, static_cast<std::int32_t>(i)}, entries[i]);
    }
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

// --- restore operations that call a function

// "RestoreV2:tensors:3": node and number of the output.
std::pair<std::string_view, std::size_t> split_input(std::string_view input) {
  const std::size_t colon = input.find(':');
  std::size_t number = 0;
  if (colon != std::string_view::npos) {
    const std::string_view digits = input.substr(input.rfind(':') + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  return {input.substr(0, colon), number};
}

// Which of the function's arguments gets output `number` of `restore`; by Identity nodes only.
const std::string_view* find_argument(const wire::FunctionDef& function, std::string_view restore,
                                      std::size_t number) {
  std::vector<std::pair<std::string_view, std::size_t>> carriers = {{restore, number}};
  for (const wire::NodeDef& node : function.nodes) {
    if (node.op == "Identity" && !node.inputs.empty() &&
        split_input(node.inputs.front()) == carriers.front()) {
      carriers.emplace_back(node.name, 0);
    }
  }
  for (const wire::NodeDef& node : function.nodes) {
    if (node.op == "AssignVariableOp" && node.inputs.size() >= 2 &&
        std::ranges::count(carriers, split_input(node.inputs[1])) != 0) {
      return &node.inputs[0];
    }
  }
  return nullptr;
}

Node variable_behind(const EngineGraph& graph, const wire::FunctionDef& function, Node call,
                     const std::string_view* argument) {
  if (argument == nullptr) {
    return nullptr;
  }
  const auto place = std::ranges::find(function.arguments, *argument);
  const std::vector<NodeOutput> inputs = graph.inputs(call);
  const auto index = static_cast<std::size_t>(place - function.arguments.begin());
  if (index >= inputs.size() || !is_variable(graph, inputs[index].node)) {
    return nullptr;
  }
  return inputs[index].node;
}

std::string_view constant_of(const wire::FunctionDef& function, const wire::NodeDef& node,
                             std::size_t input) {
  const wire::NodeDef* const constant =
      node.inputs.size() > input ? function.find(split_input(node.inputs[input]).first) : nullptr;
  return constant == nullptr ? std::string_view() : constant->attr("value");
}

std::vector<RestoredEntry> entries_in_function(const EngineGraph& graph,
                                               const wire::FunctionLibrary& functions, Node call) {
  const std::optional<std::string> name =
      wire::function_in_attr(graph.attr(call, "f").value_or(std::string()));
  std::vector<RestoredEntry> all;
  if (!name || !functions.contains(*name)) {
    return all;
  }
  const wire::FunctionDef function = functions.read(*name);
  for (const wire::NodeDef& node : function.nodes) {
    if (node.op != "RestoreV2") {
      continue;
    }
    std::vector<RestoredEntry> entries =
        entries_of(constant_of(function, node, 1), constant_of(function, node, 2), node.attr("dtypes"));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].variable = variable_behind(graph, function, call, find_argument(function, node.name, i));
    }
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

}  // namespace

std::string entry_name(const EngineGraph& graph, const RestoredEntry& entry) {
  return entry.variable != nullptr && entry.slice.empty() ? graph.name(entry.variable) : entry.key;
}

std::vector<RestoredEntry> find_restored_entries(const GraphIndex& index,
                                                 const wire::FunctionLibrary& functions, Node restore_op) {
  std::vector<RestoredEntry> entries = entries_in_graph(index, restore_op);
  if (entries.empty()) {
    entries = entries_in_function(index.graph(), functions, restore_op);
  }
  return entries;
}

}  // namespace fermata::tensorflow
