#include "engines/tensorflow_graph/default_pieces.h"

#include <utility>

#include "engines/tensorflow_graph/node_builder.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

NodeOutput add_is_initialized(EngineGraph& graph, NodeBuilder& builder, const Variable& variable) {
  if (variable.is_resource) {
    return {builder.add(
                {.type = "VarIsInitializedOp", .name = "is_initialized", .inputs = {{{{variable.node, 0}}}}}),
            0};
  }
  return {builder.add({.type = "IsVariableInitialized",
                       .name = "is_initialized",
                       .inputs = {{{{variable.node, 0}}}},
                       .attrs = {{"dtype", type_attr(graph.dtype({variable.node, 0}))}}}),
          0};
}

// Which of `flags` are false, as a 1-D int64 tensor.
NodeOutput add_places_of_false(NodeBuilder& builder, const std::vector<NodeOutput>& flags) {
  const NodeOutput packed{
      builder.add({.type = "Pack",
                   .name = "flags",
                   .inputs = {{flags, true}},
                   .attrs = {{"T", type_attr(DType::kBool)},
                             {"N", wire::attr_of_int(static_cast<std::int64_t>(flags.size()))},
                             {"axis", wire::attr_of_int(0)}}}),
      0};
  const NodeOutput inverted{builder.add({.type = "LogicalNot", .name = "inverted", .inputs = {{{packed}}}}),
                            0};
  const NodeOutput rows{builder.add({.type = "Where",
                                     .name = "rows",
                                     .inputs = {{{inverted}}},
                                     .attrs = {{"T", type_attr(DType::kBool)}}}),
                        0};
  const NodeOutput flat = builder.integers("flat", {-1});
  return {builder.add({.type = "Reshape",
                       .name = "places",
                       .inputs = {{{rows}}, {{flat}}},
                       .attrs = {{"T", type_attr(DType::kInt64)}, {"Tshape", type_attr(DType::kInt32)}}}),
          0};
}

}  // namespace

Node add_group(EngineGraph& graph, const std::string& name, std::vector<Node> operations) {
  return NodeBuilder(graph, "").no_op(name, std::move(operations));
}

NodeOutput add_uninitialized_names(EngineGraph& graph, const std::string& scope,
                                   std::span<const Variable> variables) {
  NodeBuilder builder(graph, graph.unique_name(scope));
  std::vector<std::string> names;
  std::vector<NodeOutput> flags;
  for (const Variable& variable : variables) {
    names.push_back(variable.info.name);
    flags.push_back(add_is_initialized(graph, builder, variable));
  }
  const NodeOutput all_names = builder.strings("names", names);
  if (flags.empty()) {
    return all_names;
  }
  const NodeOutput places = add_places_of_false(builder, flags);
  const NodeOutput axis = builder.integer("axis", 0);
  return {builder.add({.type = "GatherV2",
                       .name = "uninitialized",
                       .inputs = {{{all_names}}, {{places}}, {{axis}}},
                       .attrs = {{"Tparams", type_attr(DType::kString)},
                                 {"Tindices", type_attr(DType::kInt64)},
                                 {"Taxis", type_attr(DType::kInt32)}}}),
          0};
}

NodeOutput add_merged_summary(EngineGraph& graph, const std::vector<NodeOutput>& summaries) {
  return {NodeBuilder(graph, "").add(
              {.type = "MergeSummary",
               .name = "Merge/MergeSummary",
               .inputs = {{summaries, true}},
               .attrs = {{"N", wire::attr_of_int(static_cast<std::int64_t>(summaries.size()))}}}),
          0};
}

}  // namespace fermata::tensorflow
