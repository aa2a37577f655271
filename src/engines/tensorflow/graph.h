// The graph functions of the boundary. A graph is a TF_Graph, an operation a TF_Operation.
#pragma once

#include <string>

#include "engines/plugin_abi.h"
#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

// Fills the graph part of the table.
void add_graph_functions(FermataPluginApi& api);

// Adds one node. Throws: Failure; the graph is then as before.
[[nodiscard]] TF_Operation* add_node(TF_Graph* graph, const FermataNode& node);

inline TF_Graph* as_graph(void* graph) { return static_cast<TF_Graph*>(graph); }
inline TF_Operation* as_operation(void* operation) { return static_cast<TF_Operation*>(operation); }
inline TF_Output as_output(const FermataOutput& output) {
  return TF_Output{as_operation(output.operation), output.index};
}

// Asked for more, TensorFlow ends the process.
[[nodiscard]] bool exists(const TF_Output& output);

// "loss:0".
[[nodiscard]] std::string output_name(const TF_Output& output);

}  // namespace fermata::tensorflow_plugin
