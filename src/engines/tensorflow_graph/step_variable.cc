#include "engines/tensorflow_graph/step_variable.h"

#include "engines/tensorflow_graph/node_builder.h"
#include "wire/attr_value.h"
#include "wire/meta_graph.h"

namespace fermata::tensorflow {

StepVariable add_step_variable(EngineGraph& graph, const std::string& name) {
  Node const handle = NodeBuilder(graph, "").add({.type = "VarHandleOp",
                                                  .name = name,
                                                  .attrs = {{"dtype", type_attr(DType::kInt64)},
                                                            {"shape", wire::attr_of_shape(Shape{})},
                                                            {"shared_name", wire::attr_of_string(name)}}});
  NodeBuilder inside(graph, name);
  const NodeOutput zero = inside.long_integer("Initializer/zeros", 0);
  StepVariable added;
  added.variable.node = handle;
  added.variable.is_resource = true;
  added.variable.initializer = inside.assign("Assign", handle, zero);
  added.variable.snapshot = graph.name(inside.read("Read/ReadVariableOp", handle));
  added.variable.info.name = name;
  added.variable.info.spec = {DType::kInt64, Shape{}};
  added.variable.info.trainable = false;
  added.variable.info.checkpoint_key = name;
  added.definition = wire::write_variable_definition({.name = name + ":0",
                                                      .initializer = graph.name(added.variable.initializer),
                                                      .snapshot = added.variable.snapshot,
                                                      .initial_value = graph.name(zero),
                                                      .slice = std::nullopt,
                                                      .is_resource = true,
                                                      .trainable = false});
  return added;
}

}  // namespace fermata::tensorflow
