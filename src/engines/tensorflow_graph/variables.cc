#include "engines/tensorflow_graph/variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "fermata/error.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

constexpr std::array<std::string_view, 3> kVariableTypes = {"VarHandleOp", "VariableV2", "Variable"};
constexpr std::string_view kGlobal = "variables";
constexpr std::string_view kLocal = "local_variables";
constexpr std::string_view kTrainable = "trainable_variables";

std::string without_output(const std::string& tensor) { return tensor.substr(0, tensor.rfind(':')); }

// "10 4 0,4:0,4": sizes of the whole, then start and length of the part.
std::string slice_text_of(const wire::SliceDefinition& slice) {
  std::string text;
  for (const std::int64_t size : slice.full_shape) {
    text += fmt::format("{} ", size);
  }
  for (std::size_t i = 0; i < slice.offset.size() && i < slice.shape.size(); ++i) {
    text += fmt::format("{}{},{}", i == 0 ? "" : ":", slice.offset[i], slice.shape[i]);
  }
  return text;
}

Variable from_definition(const EngineGraph& graph, const wire::VariableDefinition& definition, bool local) {
  Variable variable;
  variable.info.name = without_output(definition.name);
  variable.node = graph.find(variable.info.name);
  if (variable.node == nullptr || !is_variable(graph, variable.node)) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("the graph's collections name a variable '{}' that the graph does not hold; export "
                    "the graph anew",
                    variable.info.name));
  }
  variable.is_resource = is_resource_variable(graph, variable.node);
  variable.info.spec = variable_spec(graph, variable.node);
  variable.info.local = local;
  variable.info.trainable = definition.trainable;
  variable.info.checkpoint_key = definition.slice ? definition.slice->full_name : variable.info.name;
  variable.info.slice = definition.slice ? slice_text_of(*definition.slice) : std::string();
  variable.initializer = graph.find(definition.initializer);
  variable.snapshot = definition.snapshot;
  return variable;
}

bool has_name(const std::vector<Variable>& variables, const std::string& name) {
  return std::ranges::any_of(variables, [&](const Variable& v) { return v.info.name == name; });
}

void add_listed(const EngineGraph& graph, const Collections& collections, std::string_view key,
                std::vector<Variable>& variables) {
  const auto found = collections.find(key);
  if (found == collections.end()) {
    return;
  }
  for (const std::string& message : found->second.messages) {
    const wire::VariableDefinition definition = wire::read_variable_definition(message);
    if (!has_name(variables, without_output(definition.name))) {
      variables.push_back(from_definition(graph, definition, key == kLocal));
    }
  }
}

void mark_trainable(const Collections& collections, std::vector<Variable>& variables) {
  const auto found = collections.find(kTrainable);
  if (found == collections.end()) {
    return;
  }
  std::vector<std::string> names;
  for (const std::string& message : found->second.messages) {
    names.push_back(without_output(wire::read_variable_definition(message).name));
  }
  for (Variable& variable : variables) {
    variable.info.trainable = std::ranges::count(names, variable.info.name) != 0;
  }
}

bool assigns(const EngineGraph& graph, Node node) {
  return graph.type(node) == "AssignVariableOp" || graph.type(node) == "Assign";
}

// An initial value comes out of nothing that was saved or fed.
bool can_be_initial(const EngineGraph& graph, Node assignment) {
  const NodeSet needed = with_ancestors(graph, {assignment});
  return std::ranges::none_of(needed, [&](Node node) {
    return graph.type(node) == "RestoreV2" || graph.type(node) == "Restore" ||
           graph.type(node) == "Placeholder";
  });
}

Node find_initializer(const GraphIndex& index, Node variable) {
  const EngineGraph& graph = index.graph();
  const std::string usual = graph.name(variable) + "/Assign";
  for (const bool by_name : {true, false}) {
    for (Node const consumer : index.consumers(variable)) {
      if (assigns(graph, consumer) && graph.input(consumer, 0).node == variable &&
          (!by_name || graph.name(consumer) == usual) && can_be_initial(graph, consumer)) {
        return consumer;
      }
    }
  }
  return nullptr;
}

// An optimizer's update takes the variable it trains as its first argument.
bool is_trained(const GraphIndex& index, Node variable) {
  const EngineGraph& graph = index.graph();
  return std::ranges::any_of(index.consumers(variable), [&](Node consumer) {
    std::string_view type = graph.type(consumer);
    for (const std::string_view prefix : {"Resource", "Sparse"}) {
      type.remove_prefix(type.starts_with(prefix) ? prefix.size() : 0);
    }
    return type.starts_with("Apply") && graph.input(consumer, 0).node == variable;
  });
}

}  // namespace

bool is_variable(const EngineGraph& graph, Node node) {
  return std::ranges::find(kVariableTypes, graph.type(node)) != kVariableTypes.end();
}

bool is_resource_variable(const EngineGraph& graph, Node node) { return graph.type(node) == "VarHandleOp"; }

TensorSpec variable_spec(const EngineGraph& graph, Node node) {
  TensorSpec spec;
  if (const std::optional<std::string> dtype = graph.attr(node, "dtype")) {
    spec.dtype = static_cast<DType>(wire::type_in_attr(*dtype).value_or(0));
  }
  if (const std::optional<std::string> shape = graph.attr(node, "shape")) {
    spec.shape = wire::shape_in_attr(*shape);
  }
  return spec;
}

std::vector<Variable> listed_variables(const EngineGraph& graph, const Collections& collections) {
  std::vector<Variable> variables;
  add_listed(graph, collections, kGlobal, variables);
  add_listed(graph, collections, kTrainable, variables);
  add_listed(graph, collections, kLocal, variables);
  mark_trainable(collections, variables);
  return variables;
}

std::vector<Variable> found_variables(const GraphIndex& index) {
  const EngineGraph& graph = index.graph();
  std::vector<Variable> variables;
  for (Node const node : index.nodes_of_type(kVariableTypes)) {
    Variable variable;
    variable.node = node;
    variable.info.name = graph.name(node);
    variable.info.checkpoint_key = variable.info.name;
    variable.info.spec = variable_spec(graph, node);
    variable.info.trainable = is_trained(index, node);
    variable.is_resource = is_resource_variable(graph, node);
    variable.initializer = find_initializer(index, node);
    variables.push_back(std::move(variable));
  }
  return variables;
}

}  // namespace fermata::tensorflow
