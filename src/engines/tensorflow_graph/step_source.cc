#include "engines/tensorflow_graph/step_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/nearest_names.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

constexpr std::string_view kDefaultStep = "global_step";
// The earlier name counts where a model has several.
constexpr std::array<std::string_view, 6> kStepNames = {"global_step", "step",  "iteration",
                                                        "iterations",  "steps", "iter"};

bool is_integer(DType dtype) {
  constexpr std::array kIntegers = {DType::kInt8,  DType::kInt16,  DType::kInt32,  DType::kInt64,
                                    DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};
  return std::ranges::find(kIntegers, dtype) != kIntegers.end();
}

TensorSpec spec_of(const EngineGraph& graph, const NodeOutput& output) {
  return is_variable(graph, output.node) ? variable_spec(graph, output.node)
                                         : TensorSpec{graph.dtype(output), graph.shape(output)};
}

bool can_be_step(const TensorSpec& spec) {
  return is_integer(spec.dtype) && (!spec.shape || spec.shape->empty());
}

StepSource as_step(const EngineGraph& graph, const NodeOutput& output) {
  const TensorSpec spec = spec_of(graph, output);
  const std::string name = graph.name(output.node);
  if (!can_be_step(spec)) {
    throw Misuse(
        fmt::format("the global step '{}' must be an integer scalar, but it is {} of shape {}; name another "
                    "variable as the global step",
                    name, dtype_name(spec.dtype), spec.shape ? shape_text(*spec.shape) : "?"));
  }
  const auto kind = !is_variable(graph, output.node)           ? StepSource::Kind::kTensor
                    : is_resource_variable(graph, output.node) ? StepSource::Kind::kResource
                                                               : StepSource::Kind::kReference;
  return {kind, name, output};
}

std::vector<std::string> names_in(const wire::Collection& collection) {
  std::vector<std::string> names = collection.nodes;
  for (const std::string& message : collection.messages) {
    names.push_back(wire::read_variable_definition(message).name);
  }
  return names;
}

std::vector<std::string> possible_names(const EngineGraph& graph) {
  std::vector<std::string> names;
  for (Node const node : graph.nodes()) {
    if (graph.num_outputs(node) > 0 && can_be_step(spec_of(graph, {node, 0}))) {
      names.push_back(graph.name(node));
    }
  }
  return names;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

Step step_in(const TensorView& value) {
  return value.dtype() == DType::kInt64 ? value.scalar<std::int64_t>() : static_cast<Step>(value.as_double());
}

StepSource find_step(const EngineGraph& graph, const Collections& collections) {
  const auto found = collections.find(collections::kGlobalStep);
  const std::vector<std::string> names =
      found == collections.end() ? std::vector<std::string>() : names_in(found->second);
  if (names.size() > 1) {
    throw Misuse(
        fmt::format("the collection 'global_step' must hold one step, but it holds {}: {}; name the one "
                    "that counts (--global-step)",
                    names.size(), fmt::join(names, ", ")));
  }
  if (!names.empty()) {
    return named_step(graph, names.front());
  }
  const std::optional<NodeOutput> output = graph.find_output(std::string(kDefaultStep));
  return output ? as_step(graph, *output) : StepSource();
}

StepSource named_step(const EngineGraph& graph, const std::string& name) {
  if (const std::optional<NodeOutput> output = graph.find_output(name)) {
    return as_step(graph, *output);
  }
  throw Error(Code::kNotFound,
              fmt::format("the graph has no variable or tensor '{}' that could be the global step{}", name,
                          did_you_mean(name, possible_names(graph))));
}

StepSource guessed_step(const EngineGraph& graph, std::span<const Variable> variables) {
  for (const std::string_view wanted : kStepNames) {
    std::vector<const Variable*> found;
    for (const Variable& variable : variables) {
      if (last_part(variable.info.name) == wanted && can_be_step(variable.info.spec)) {
        found.push_back(&variable);
      }
    }
    if (found.size() == 1) {
      return as_step(graph, {found.front()->node, 0});
    }
  }
  return {};
}

}  // namespace fermata::tensorflow
