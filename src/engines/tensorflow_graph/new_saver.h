// Makes a saver for a graph that came without one.
#pragma once

#include <optional>
#include <span>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/variables.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// Saves and restores all variables that are not local, under their keys, in one file. Nothing if there are
// none.
[[nodiscard]] std::optional<SaverDef> add_saver(EngineGraph& graph, std::span<const Variable> variables);

}  // namespace fermata::tensorflow
