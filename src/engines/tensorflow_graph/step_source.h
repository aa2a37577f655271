// Where the step of a graph is kept.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/variables.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata::tensorflow {

struct StepSource {
  enum class Kind {
    kNone,
    kResource,   // a variable behind a handle
    kReference,  // a variable that is its own value
    kTensor,     // some other tensor of the graph
    kCounted,    // by Fermata
  };
  Kind kind = Kind::kNone;
  std::string name;
  NodeOutput output;

  [[nodiscard]] bool is_variable() const noexcept {
    return kind == Kind::kResource || kind == Kind::kReference;
  }
};

// The value as a step. Requires: an integer scalar.
[[nodiscard]] Step step_in(const TensorView& value);

// By the collection `global_step`, else the tensor "global_step:0" (contract GS-1 to GS-3, GS-11).
// Throws: Misuse for several, or for one that is not an integer scalar.
[[nodiscard]] StepSource find_step(const EngineGraph& graph, const Collections& collections);

// The variable or tensor of this name. Throws: Error kNotFound with the nearest names, Misuse as above.
[[nodiscard]] StepSource named_step(const EngineGraph& graph, const std::string& name);

// For a SavedModel that has neither: the one integer scalar variable called like a step ("step",
// "iteration").
[[nodiscard]] StepSource guessed_step(const EngineGraph& graph, std::span<const Variable> variables);

}  // namespace fermata::tensorflow
