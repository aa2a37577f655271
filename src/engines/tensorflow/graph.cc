#include "engines/tensorflow/graph.h"

#include <algorithm>
#include <vector>

#include "engines/tensorflow/dtype_names.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

void* graph_new() { return TF_NewGraph(); }

void graph_delete(void* graph) {
  if (graph != nullptr) TF_DeleteGraph(as_graph(graph));
}

void graph_import(void* graph, const void* graph_def, uint64_t size, FermataStatus* status) {
  guarded(status, [&] {
    const StatusHandle result = new_status();
    const ImportOptionsHandle options(TF_NewImportGraphDefOptions());
    const TF_Buffer bytes = borrowed(graph_def, size);
    TF_GraphImportGraphDef(as_graph(graph), &bytes, options.get(), result.get());
    check(result.get());
  });
}

void* graph_operation(void* graph, const char* name) {
  return TF_GraphOperationByName(as_graph(graph), name);
}

void graph_each_operation(void* graph, void (*visit)(void* user, void* operation), void* user) {
  size_t position = 0;
  while (TF_Operation* const operation = TF_GraphNextOperation(as_graph(graph), &position)) {
    visit(user, operation);
  }
}

void* graph_add(void* graph, const FermataNode* node, FermataStatus* status) {
  return guarded(status, [&] { return static_cast<void*>(add_node(as_graph(graph), *node)); });
}

void graph_to_graph_def(void* graph, FermataBytesSink sink, void* user, FermataStatus* status) {
  guarded(status, [&] {
    const StatusHandle result = new_status();
    const BufferHandle bytes(TF_NewBuffer());
    TF_GraphToGraphDef(as_graph(graph), bytes.get(), result.get());
    check(result.get());
    sink(user, bytes->data, bytes->length);
  });
}

const char* operation_name(void* operation) { return TF_OperationName(as_operation(operation)); }

const char* operation_type(void* operation) { return TF_OperationOpType(as_operation(operation)); }

const char* operation_device(void* operation) { return TF_OperationDevice(as_operation(operation)); }

int32_t operation_num_outputs(void* operation) { return TF_OperationNumOutputs(as_operation(operation)); }

int32_t operation_num_inputs(void* operation) { return TF_OperationNumInputs(as_operation(operation)); }

FermataOutput operation_input(void* operation, int32_t index) {
  if (index < 0 || index >= operation_num_inputs(operation)) return {nullptr, 0};
  const TF_Output source = TF_OperationInput(TF_Input{as_operation(operation), index});
  return {source.oper, source.index};
}

int32_t operation_num_control_inputs(void* operation) {
  return TF_OperationNumControlInputs(as_operation(operation));
}

int32_t operation_control_inputs(void* operation, void** out, int32_t capacity) {
  static_assert(sizeof(void*) == sizeof(TF_Operation*));
  return TF_OperationGetControlInputs(as_operation(operation), reinterpret_cast<TF_Operation**>(out),
                                      std::max(capacity, 0));
}

int32_t output_dtype(FermataOutput output) {
  const TF_Output source = as_output(output);
  return exists(source) ? TF_OperationOutputType(source) : 0;
}

int32_t shape_of(TF_Graph* graph, const TF_Output& output, int64_t* dims, int32_t capacity) {
  const StatusHandle result = new_status();
  const int rank = TF_GraphGetTensorNumDims(graph, output, result.get());
  if (TF_GetCode(result.get()) != TF_OK || rank <= 0) return TF_GetCode(result.get()) == TF_OK ? rank : -1;
  std::vector<int64_t> sizes(static_cast<size_t>(rank));
  TF_GraphGetTensorShape(graph, output, sizes.data(), rank, result.get());
  if (TF_GetCode(result.get()) != TF_OK) return -1;
  std::copy_n(sizes.begin(), std::clamp(capacity, 0, rank), dims);
  return rank;
}

int32_t output_shape(void* graph, FermataOutput output, int64_t* dims, int32_t capacity) {
  const TF_Output source = as_output(output);
  if (!exists(source)) return -1;
  try {
    return shape_of(as_graph(graph), source, dims, capacity);
  } catch (...) {
    return -1;
  }
}

void operation_attr(void* operation, const char* name, FermataBytesSink sink, void* user,
                    FermataStatus* status) {
  guarded(status, [&] {
    const StatusHandle result = new_status();
    const BufferHandle bytes(TF_NewBuffer());
    TF_OperationGetAttrValueProto(as_operation(operation), name, bytes.get(), result.get());
    // TensorFlow calls a missing attribute a wrong argument, which is nothing to tell it from a failure by.
    if (TF_GetCode(result.get()) == TF_INVALID_ARGUMENT) {
      throw Failure(TF_NOT_FOUND, TF_Message(result.get()));
    }
    check(result.get());
    sink(user, bytes->data, bytes->length);
  });
}

}  // namespace

bool exists(const TF_Output& output) {
  return output.oper != nullptr && output.index >= 0 && output.index < TF_OperationNumOutputs(output.oper);
}

std::string output_name(const TF_Output& output) {
  return std::string(TF_OperationName(output.oper)) + ":" + std::to_string(output.index);
}

void add_graph_functions(FermataPluginApi& api) {
  api.graph_new = graph_new;
  api.graph_delete = graph_delete;
  api.graph_import = graph_import;
  api.graph_operation = graph_operation;
  api.graph_each_operation = graph_each_operation;
  api.graph_add = graph_add;
  api.graph_to_graph_def = graph_to_graph_def;
  api.operation_name = operation_name;
  api.operation_type = operation_type;
  api.operation_device = operation_device;
  api.operation_num_outputs = operation_num_outputs;
  api.operation_num_inputs = operation_num_inputs;
  api.operation_input = operation_input;
  api.operation_num_control_inputs = operation_num_control_inputs;
  api.operation_control_inputs = operation_control_inputs;
  api.output_dtype = output_dtype;
  api.output_shape = output_shape;
  api.operation_attr = operation_attr;
}

}  // namespace fermata::tensorflow_plugin
