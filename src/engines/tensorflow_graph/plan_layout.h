// Works out what a request means to the engine.
#pragma once

#include "engines/tensorflow_graph/graph_plan.h"
#include "engines/tensorflow_graph/model_state.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// Adds the reads of the step that it needs to the graph. Throws: Error kInvalidArgument for handles of
// another graph and for what can be neither fetched nor fed; Misuse if the step is wanted and the graph has
// none.
[[nodiscard]] PlanLayout lay_out(const Model::Impl& model, const PlanRequest& request);

}  // namespace fermata::tensorflow
