// Collections as names of operations and tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/variables.h"

namespace fermata::tensorflow {

// The names under `key`: as they are, or the names that messages begin with ("w:0" of a variable), as far as
// the graph has them. Empty if there is no such collection.
[[nodiscard]] std::vector<std::string> names_of_collection(const EngineGraph& graph,
                                                           const Collections& collections,
                                                           std::string_view key);

}  // namespace fermata::tensorflow
