// Holds what a checkpoint has against what a graph's saver would read from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/restore_plan.h"

namespace fermata::tensorflow {

// Throws: Error kNotFound if the checkpoint lacks entries, kInvalidArgument if some have another dtype or
// shape than their variable. Names up to five.
void require_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                 const BundleReader& checkpoint);

// The same, except that missing entries are no fault.
void require_types_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                       const BundleReader& checkpoint);

}  // namespace fermata::tensorflow
