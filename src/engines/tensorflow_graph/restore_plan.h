// What the restore operation of a graph's saver reads: which entry of a checkpoint goes into which variable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/graph_index.h"
#include "fermata/tensor.h"
#include "wire/graph_def.h"

namespace fermata::tensorflow {

struct RestoredEntry {
  std::string key;    // in the checkpoint
  std::string slice;  // as RestoreV2 takes it; empty: the whole tensor
  DType dtype = DType::kInvalid;
  // What the entry is assigned to; null if that could not be found out (bookkeeping of TensorFlow 2).
  Node variable = nullptr;
  // The variable is given the shape of the entry, or takes only a shape that this does not know.
  bool reshaped = false;
};

// What the entry is called in messages: the name of its variable; of a part, that of the whole.
[[nodiscard]] std::string entry_name(const EngineGraph& graph, const RestoredEntry& entry);

// Reads it from the nodes that the operation needs, and from the function that it calls if there are none.
// Empty if nothing can be told.
[[nodiscard]] std::vector<RestoredEntry> find_restored_entries(const GraphIndex& index,
                                                               const wire::FunctionLibrary& functions,
                                                               Node restore_op);

}  // namespace fermata::tensorflow
