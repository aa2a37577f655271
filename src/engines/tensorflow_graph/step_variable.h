// Adds a variable for the step to a graph that has none.
#pragma once

#include <string>

#include "engines/tensorflow_graph/variables.h"

namespace fermata::tensorflow {

struct StepVariable {
  Variable variable;
  // A serialized VariableDef, as the collections hold it.
  std::string definition;
};

// An int64 scalar resource variable that starts at 0.
[[nodiscard]] StepVariable add_step_variable(EngineGraph& graph, const std::string& name);

}  // namespace fermata::tensorflow
