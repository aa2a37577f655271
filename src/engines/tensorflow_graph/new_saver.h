// Makes a saver for a graph that came without one.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/variables.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// Saves and restores all variables that are not local, under their keys, in one file. Nothing if there are
// none.
[[nodiscard]] std::optional<SaverDef> add_saver(EngineGraph& graph, std::span<const Variable> variables);

// The same for some of them: the name in the checkpoint → the variable, or the whole that it is a part of.
// Requires: the names are those of saved variables.
[[nodiscard]] SaverDef add_saver(EngineGraph& graph, std::span<const Variable> variables,
                                 const std::map<std::string, std::string>& names);

}  // namespace fermata::tensorflow
