// The functions of tf.compat.v1.train for the step of a graph.
#pragma once

#include <optional>

#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"
#include "fermata/step.h"

namespace fermata {

// The step's variable: the only one in the collection global_step, or what is called "global_step". Nothing
// if there is none. Throws: Misuse for several in the collection, or for one that is not an integer scalar.
[[nodiscard]] FERMATA_API std::optional<VariableInfo> get_global_step(const Graph& graph);

// Adds an int64 variable "global_step" that starts at 0 and is not trained. On the native engine it counts
// steps from then on; a TensorFlow graph counts only if some operation adds to it.
// Throws: Error kInvalidArgument if the graph has a step already; Misuse for an unsuitable one, or once the
// graph is finalized.
FERMATA_API VariableInfo create_global_step(Graph& graph);

// The one that is there, or a new one. Throws: Misuse as above.
FERMATA_API VariableInfo get_or_create_global_step(Graph& graph);

// The step as it is now. Throws: Misuse if the graph has none.
[[nodiscard]] FERMATA_API Step global_step(Session& session);

}  // namespace fermata
