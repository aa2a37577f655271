// Holds what a checkpoint has against what a graph's saver would read from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/restore_plan.h"

namespace fermata::tensorflow {

// Throws: one Error for all that differs, with up to five names of each kind: kInvalidArgument if entries
// have another dtype or shape than their variable, else kNotFound if the checkpoint lacks some.
void require_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                 const BundleReader& checkpoint);

// The same, except that missing entries are no fault.
void require_types_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                       const BundleReader& checkpoint);

}  // namespace fermata::tensorflow
