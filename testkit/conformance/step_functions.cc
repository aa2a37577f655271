// The functions that find, make and read the step of a graph.
#include <algorithm>

#include "conformance/kinds.h"
#include "conformance/watched_graph.h"
#include "fermata/global_step.h"

namespace fermata::conformance {
namespace {

class StepFunctions {
 public:
  explicit StepFunctions(WatchedGraph& graph) : graph_(graph) {}

  Json act(const Json& step) {
    const auto what = step["do"].get<std::string>();
    if (what == "get") {
      const std::optional<VariableInfo> found = get_global_step(graph_);
      return found ? shown(*found) : Json();
    }
    if (what == "create") {
      return shown(create_global_step(graph_));
    }
    if (what == "get_or_create") {
      return shown(get_or_create_global_step(graph_));
    }
    throw NotExpressible("step functions of the kind " + what);
  }

 private:
  Json shown(const VariableInfo& variable) {
    auto known = std::find(seen_.begin(), seen_.end(), variable.name);
    if (known == seen_.end()) {
      known = seen_.insert(seen_.end(), variable.name);
    }
    return {{"object", "T" + std::to_string(known - seen_.begin() + 1)},
            {"name", variable.name},
            {"type", dtype_name(variable.spec.dtype)},
            {"shape", variable.spec.shape.value_or(Shape{-1})}};
  }

  WatchedGraph& graph_;
  std::vector<std::string> seen_;
};

}  // namespace

Outcome play_step_functions(Play& play) {
  const Json& spec = member(play.scenario, "graph");
  WatchedGraph graph(play.engine.counter(spec.is_object() ? spec : Json{{"global_step", false}}), play.world);
  StepFunctions functions(graph);
  note_calls(play, [&](const Json& step) { return functions.act(step); });
  return {};
}

}  // namespace fermata::conformance
