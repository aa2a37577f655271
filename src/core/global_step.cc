#include "fermata/global_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "fermata/error.h"

namespace fermata {

std::optional<VariableInfo> get_global_step(const Graph& graph) {
  if (!graph.has_global_step()) {
    return std::nullopt;
  }
  const std::string name = graph.global_step_name();
  const std::vector<VariableInfo> variables = graph.variables();
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const VariableInfo& variable) { return variable.name == name; });
  if (found != variables.end()) {
    return *found;
  }
  // A tensor of that name, which is no variable.
  VariableInfo info;
  info.name = name;
  info.spec = graph.spec(graph.tensor(name + ":0"));
  info.trainable = false;
  return info;
}

VariableInfo create_global_step(Graph& graph) {
  if (graph.has_global_step()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("a global step already exists: '{}'; take it with get_global_step",
                            graph.global_step_name()));
  }
  graph.add_global_step();
  return get_global_step(graph).value();
}

VariableInfo get_or_create_global_step(Graph& graph) {
  if (std::optional<VariableInfo> found = get_global_step(graph)) {
    return *std::move(found);
  }
  return create_global_step(graph);
}

Step global_step(Session& session) { return session.read_step(); }

}  // namespace fermata
