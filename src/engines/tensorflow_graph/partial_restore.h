// Reads a part of a graph's variables from a checkpoint, for warm starts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/restore_plan.h"

namespace fermata::tensorflow {

struct PartialRestore {
  Node operation = nullptr;          // reads what is there; null: nothing is
  std::vector<std::string> missing;  // variables that the checkpoint lacks
};

// Adds nodes to the graph that nobody sees. Throws: Error kUnimplemented if it could not be told what the
// saver reads.
[[nodiscard]] PartialRestore add_partial_restore(EngineGraph& graph, std::span<const RestoredEntry> entries,
                                                 const BundleReader& checkpoint);

}  // namespace fermata::tensorflow
