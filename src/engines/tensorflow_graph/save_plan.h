// What the save operation of a graph's saver writes: which value goes under which key.
#pragma once

#include <string>
#include <vector>

#include "engines/tensorflow_graph/graph_index.h"
#include "wire/graph_def.h"

namespace fermata::tensorflow {

struct SavedEntry {
  std::string key;    // in the checkpoint
  std::string slice;  // as SaveV2 takes it; empty: the whole tensor
  NodeOutput value;
  // The next step leaves a fetched value as it is. Otherwise it is the variable's own memory, or may be.
  bool stays = false;
};

// Reads it from the nodes that the operation needs, and from the function that it calls if there are none; a
// variable that is read inside of the function gets a read in the graph, hidden from everybody. Empty if it
// cannot be told for every value.
[[nodiscard]] std::vector<SavedEntry> find_saved_entries(EngineGraph& graph,
                                                         const wire::FunctionLibrary& functions,
                                                         Node save_op);

}  // namespace fermata::tensorflow
