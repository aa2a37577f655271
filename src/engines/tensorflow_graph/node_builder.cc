#include "engines/tensorflow_graph/node_builder.h"

#include <utility>

#include "engines/tensorflow_graph/variables.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {

std::string type_attr(DType dtype) { return wire::attr_of_type(static_cast<std::int32_t>(dtype)); }

Node NodeBuilder::add(NewNode node) {
  node.name = graph_.unique_name(scope_.empty() ? node.name : scope_ + "/" + node.name);
  return graph_.add(node, visibility_);
}

Node NodeBuilder::no_op(const std::string& name, std::vector<Node> after) {
  return add({.type = "NoOp", .name = name, .control_inputs = std::move(after)});
}

NodeOutput NodeBuilder::constant(const std::string& name, DType dtype, std::string value) {
  return {add({.type = "Const",
               .name = name,
               .attrs = {{"dtype", type_attr(dtype)}, {"value", std::move(value)}}}),
          0};
}

NodeOutput NodeBuilder::strings(const std::string& name, const std::vector<std::string>& values) {
  return constant(name, DType::kString, wire::attr_of_strings(values));
}

NodeOutput NodeBuilder::string(const std::string& name, const std::string& value) {
  return constant(name, DType::kString, wire::attr_of_string_scalar(value));
}

NodeOutput NodeBuilder::integer(const std::string& name, std::int32_t value) {
  return constant(name, DType::kInt32, wire::attr_of_int32_scalar(value));
}

NodeOutput NodeBuilder::long_integer(const std::string& name, std::int64_t value) {
  return constant(name, DType::kInt64, wire::attr_of_int64_scalar(value));
}

NodeOutput NodeBuilder::integers(const std::string& name, const std::vector<std::int32_t>& values) {
  return constant(name, DType::kInt32, wire::attr_of_int32s(values));
}

NodeOutput NodeBuilder::identity(const std::string& name, NodeOutput input, std::vector<Node> after) {
  return {add({.type = "Identity",
               .name = name,
               .inputs = {{{input}}},
               .control_inputs = std::move(after),
               .attrs = {{"T", type_attr(graph_.dtype(input))}}}),
          0};
}

NodeOutput NodeBuilder::read(const std::string& name, Node variable) {
  if (!is_resource_variable(graph_, variable)) {
    return {variable, 0};
  }
  return {add({.type = "ReadVariableOp",
               .name = name,
               .inputs = {{{{variable, 0}}}},
               .attrs = {{"dtype", type_attr(variable_spec(graph_, variable).dtype)}}}),
          0};
}

Node NodeBuilder::assign(const std::string& name, Node variable, NodeOutput value) {
  const bool is_resource = is_resource_variable(graph_, variable);
  const std::string dtype = type_attr(variable_spec(graph_, variable).dtype);
  return add({.type = is_resource ? "AssignVariableOp" : "Assign",
              .name = name,
              .inputs = {{{{variable, 0}}}, {{value}}},
              .attrs = {{is_resource ? "dtype" : "T", dtype}}});
}

}  // namespace fermata::tensorflow
