#include "engines/tensorflow_graph/new_saver.h"

#include <utility>

#include "engines/tensorflow_graph/node_builder.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

// What goes to SaveV2 and RestoreV2, in one order.
struct Saved {
  std::vector<Node> variables;
  std::vector<std::string> keys;
  std::vector<std::string> slices;
  std::vector<std::int32_t> dtypes;
};

void add_variable(Saved& saved, const Variable& variable, const std::string& key) {
  saved.variables.push_back(variable.node);
  saved.keys.push_back(key);
  saved.slices.push_back(variable.info.slice);
  saved.dtypes.push_back(static_cast<std::int32_t>(variable.info.spec.dtype));
}

Saved saved_variables(std::span<const Variable> variables) {
  Saved saved;
  for (const Variable& variable : variables) {
    if (!variable.info.local) {
      add_variable(saved, variable, variable.info.checkpoint_key);
    }
  }
  return saved;
}

Saved named_variables(std::span<const Variable> variables, const std::map<std::string, std::string>& names) {
  Saved saved;
  for (const auto& [key, name] : names) {
    for (const Variable& variable : variables) {
      if (!variable.info.local && (variable.info.name == name || variable.info.checkpoint_key == name)) {
        add_variable(saved, variable, key);
      }
    }
  }
  return saved;
}

NodeOutput add_filename(NodeBuilder& builder) {
  const NodeOutput usual = builder.string("filename", "model");
  return {
      builder.add({.type = "PlaceholderWithDefault",
                   .name = "Const",
                   .inputs = {{{usual}}},
                   .attrs = {{"dtype", type_attr(DType::kString)}, {"shape", wire::attr_of_shape(Shape{})}}}),
      0};
}

NodeOutput add_save(NodeBuilder& builder, const Saved& saved, NodeOutput filename) {
  std::vector<NodeOutput> values;
  for (Node const variable : saved.variables) {
    values.push_back(builder.read("value", variable));
  }
  const NodeOutput keys = builder.strings("SaveV2/tensor_names", saved.keys);
  const NodeOutput slices = builder.strings("SaveV2/shape_and_slices", saved.slices);
  Node const save = builder.add({.type = "SaveV2",
                                 .name = "SaveV2",
                                 .inputs = {{{filename}}, {{keys}}, {{slices}}, {values, true}},
                                 .attrs = {{"dtypes", wire::attr_of_types(saved.dtypes)}}});
  return builder.identity("control_dependency", filename, {save});
}

Node add_restore(NodeBuilder& builder, const Saved& saved, NodeOutput filename) {
  const NodeOutput keys = builder.strings("RestoreV2/tensor_names", saved.keys);
  const NodeOutput slices = builder.strings("RestoreV2/shape_and_slices", saved.slices);
  Node const restore = builder.add({.type = "RestoreV2",
                                    .name = "RestoreV2",
                                    .inputs = {{{filename}}, {{keys}}, {{slices}}},
                                    .attrs = {{"dtypes", wire::attr_of_types(saved.dtypes)}}});
  std::vector<Node> assignments;
  for (std::size_t i = 0; i < saved.variables.size(); ++i) {
    assignments.push_back(
        builder.assign("Assign", saved.variables[i], {restore, static_cast<std::int32_t>(i)}));
  }
  return builder.no_op("restore_all", std::move(assignments));
}

SaverDef add_operations(EngineGraph& graph, const Saved& saved) {
  // A scope is taken if its first node is.
  std::string scope = "save";
  for (int i = 1; graph.find(scope + "/filename") != nullptr || graph.find(scope + "/Const") != nullptr;
       ++i) {
    scope = "save_" + std::to_string(i);
  }
  NodeBuilder builder(graph, scope);
  const NodeOutput filename = add_filename(builder);
  SaverDef saver;
  saver.filename_tensor_name = graph.name(filename);
  saver.save_tensor_name = graph.name(add_save(builder, saved, filename));
  saver.restore_op_name = graph.name(add_restore(builder, saved, filename));
  return saver;
}

}  // namespace

std::optional<SaverDef> add_saver(EngineGraph& graph, std::span<const Variable> variables) {
  const Saved saved = saved_variables(variables);
  return saved.variables.empty() ? std::nullopt : std::optional(add_operations(graph, saved));
}

SaverDef add_saver(EngineGraph& graph, std::span<const Variable> variables,
                   const std::map<std::string, std::string>& names) {
  return add_operations(graph, named_variables(variables, names));
}

}  // namespace fermata::tensorflow
