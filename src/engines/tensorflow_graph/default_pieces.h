// The pieces a Scaffold needs where a graph does not bring its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/variables.h"

namespace fermata::tensorflow {

// Runs all of these operations and returns nothing.
[[nodiscard]] Node add_group(EngineGraph& graph, const std::string& name, std::vector<Node> operations);

// The names of those that are not initialised, as a 1-D string tensor.
[[nodiscard]] NodeOutput add_uninitialized_names(EngineGraph& graph, const std::string& scope,
                                                 std::span<const Variable> variables);

// One Summary out of all. Requires: there is one.
[[nodiscard]] NodeOutput add_merged_summary(EngineGraph& graph, const std::vector<NodeOutput>& summaries);

}  // namespace fermata::tensorflow
