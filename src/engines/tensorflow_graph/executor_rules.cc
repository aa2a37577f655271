// Which executors a graph can be run by; the declaration is in graph_session.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/graph_session.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

constexpr std::array<std::string_view, 10> kOldControlFlow = {
    "Switch",   "RefSwitch", "Merge",   "RefMerge",      "Enter",
    "RefEnter", "Exit",      "RefExit", "NextIteration", "RefNextIteration"};

// The first node that keeps the single-threaded executor away, and why.
std::optional<std::string> obstacle(const Model::Impl& model) {
  const EngineGraph& graph = *model.graph;
  for (Node const node : graph.nodes()) {
    for (std::int32_t i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.is_reference({node, i})) {
        return fmt::format("reference variables ('{}')", graph.name(node));
      }
    }
    if (std::ranges::find(kOldControlFlow, graph.type(node)) != kOldControlFlow.end()) {
      return fmt::format("control flow of TensorFlow 1 ('{}')", graph.name(node));
    }
  }
  return std::nullopt;
}

}  // namespace

Executor executor_for(const Model::Impl& model, const SessionConfig& config) {
  const Executor wanted = config.executor;
  if (wanted != Executor::kAuto && wanted != Executor::kSingle) {
    return wanted;
  }
  const std::optional<std::string> reason = obstacle(model);
  if (wanted == Executor::kSingle) {
    if (reason) {
      throw Error(Code::kInvalidArgument,
                  fmt::format("the executor 'single' cannot run a graph with {}; choose auto, pool or caller",
                              *reason));
    }
    return Executor::kSingle;
  }
  // The single-threaded executor records nothing about a run.
  const bool traced = std::any_of(config.announced.begin(), config.announced.end(),
                                  [](const PlanRequest& plan) { return plan.traced; });
  // Several threads run steps of a graph with queues, and a blocked one should not hold up what others run.
  return reason || traced || model.model->has_queue_runners() ? Executor::kAuto : Executor::kSingle;
}

}  // namespace fermata::tensorflow
