// What a step costs as a whole, and along its longest path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"
#include "wire/graph_def.h"

namespace fermata::tensorflow {

// In nanoseconds, without what the executor adds.
struct StepCost {
  double total = 0;
  // As if there were a thread for each operation.
  double longest = 0;
  std::size_t operations = 0;
};

// A part of a step: what it costs by itself, and the numbers of the parts it waits for.
struct StepPart {
  StepCost cost;
  std::vector<std::size_t> after;
};
[[nodiscard]] StepCost add_up(std::span<const StepPart> parts);

// Of the nodes and all that must run before them. A call of a function costs what its body does; what a body
// runs again and again, or perhaps, counts once. Requires: no control flow of TensorFlow 1.
[[nodiscard]] StepCost step_cost(const EngineGraph& graph, const wire::FunctionLibrary& functions,
                                 const std::vector<Node>& nodes);

// Whether several threads could make such a step faster by more than it costs to hand operations from one to
// the other.
[[nodiscard]] bool gains_by_threads(const StepCost& step, int threads);

}  // namespace fermata::tensorflow
