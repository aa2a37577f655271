// Adding one node to a graph.
#include <vector>

#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

// TensorFlow follows what it is given without a look.
void require_outputs(const FermataNode& node) {
  for (int32_t i = 0; i < node.num_inputs; ++i) {
    const FermataNodeInput& input = node.inputs[i];
    if (input.is_list == 0 && input.num_outputs != 1) {
      throw Failure(TF_INVALID_ARGUMENT, "input " + std::to_string(i) + " of the new node '" + node.name +
                                             "' is no list and needs one tensor, but has " +
                                             std::to_string(input.num_outputs));
    }
    for (int32_t k = 0; k < input.num_outputs; ++k) {
      if (!exists(as_output(input.outputs[k]))) {
        throw Failure(TF_INVALID_ARGUMENT, "input " + std::to_string(i) + " of the new node '" + node.name +
                                               "' names an output that its operation does not have");
      }
    }
  }
}

void add_input(TF_OperationDescription* description, const FermataNodeInput& input) {
  if (input.is_list == 0) {
    TF_AddInput(description, as_output(input.outputs[0]));
    return;
  }
  std::vector<TF_Output> list;
  for (int32_t k = 0; k < input.num_outputs; ++k) list.push_back(as_output(input.outputs[k]));
  TF_AddInputList(description, list.data(), input.num_outputs);
}

// A description can only be given up by finishing it, and might then become a node. One attribute with two
// values is what TensorFlow never accepts.
void give_up(TF_OperationDescription* description) {
  TF_SetAttrInt(description, "fermata_given_up", 0);
  TF_SetAttrInt(description, "fermata_given_up", 1);
  TF_FinishOperation(description, new_status().get());
}

void set_attrs(TF_OperationDescription* description, const FermataNode& node) {
  const StatusHandle result = new_status();
  for (int32_t i = 0; i < node.num_attrs; ++i) {
    const FermataNodeAttr& attr = node.attrs[i];
    TF_SetAttrValueProto(description, attr.name, attr.value.data, attr.value.size, result.get());
    check(result.get());
  }
}

void describe(TF_OperationDescription* description, const FermataNode& node) {
  if (node.device != nullptr) TF_SetDevice(description, node.device);
  for (int32_t i = 0; i < node.num_inputs; ++i) add_input(description, node.inputs[i]);
  for (int32_t i = 0; i < node.num_control_inputs; ++i) {
    TF_AddControlInput(description, as_operation(node.control_inputs[i]));
  }
  set_attrs(description, node);
}

}  // namespace

TF_Operation* add_node(TF_Graph* graph, const FermataNode& node) {
  require_outputs(node);
  TF_OperationDescription* const description = TF_NewOperation(graph, node.type, node.name);
  try {
    describe(description, node);
  } catch (...) {
    give_up(description);
    throw;
  }
  const StatusHandle result = new_status();
  TF_Operation* const added = TF_FinishOperation(description, result.get());
  check(result.get());
  return added;
}

}  // namespace fermata::tensorflow_plugin
