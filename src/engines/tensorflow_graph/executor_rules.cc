// Which executors a graph can be run by; the declaration is in graph_session.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "core/log_made.h"
#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/graph_session.h"
#include "engines/tensorflow_graph/step_cost.h"
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

// What a step of this session needs: the train op, or without one all that was announced.
std::vector<Node> step_nodes(const Model::Impl& model, const SessionConfig& config) {
  if (Node const train = model.train_node()) {
    return {train};
  }
  std::vector<Node> nodes;
  for (const PlanRequest& plan : config.announced) {
    for (const Output& fetch : plan.fetches) {
      nodes.push_back(reinterpret_cast<Node>(fetch.node));
    }
    for (const Operation& target : plan.targets) {
      nodes.push_back(reinterpret_cast<Node>(target.node));
    }
  }
  return nodes;
}

int threads_of(const SessionConfig& config) {
  return config.inter_op_threads > 0 ? config.inter_op_threads
                                     : static_cast<int>(std::thread::hardware_concurrency());
}

// Why a graph that the single-threaded executor could run is better left to a measurement.
std::optional<std::string> better_measured(const Model::Impl& model, const SessionConfig& config) {
  // The single-threaded executor records nothing about a run.
  if (std::any_of(config.announced.begin(), config.announced.end(),
                  [](const PlanRequest& plan) { return plan.traced; })) {
    return "some of its runs are to be recorded";
  }
  // Several threads run steps of a graph with queues, and a blocked one should not hold up what others run.
  if (model.model->has_queue_runners()) {
    return "it has queue runners";
  }
  const StepCost step = step_cost(*model.graph, model.functions, step_nodes(model, config));
  if (gains_by_threads(step, threads_of(config))) {
    return fmt::format("of the {:.2g} ms that a step may take, {:.2g} ms lie on its longest path",
                       step.total / 1e6, step.longest / 1e6);
  }
  return std::nullopt;
}

Executor choose(const Model::Impl& model, const SessionConfig& config,
                const std::optional<std::string>& obstacle) {
  const std::optional<std::string> reason =
      obstacle ? fmt::format("it has {}", *obstacle) : better_measured(model, config);
  log_made(LogLevel::kDebug, [&] {
    return reason ? fmt::format(
                        "executor: pool or caller, whichever the first steps show to be faster; not "
                        "single, since for this graph {}",
                        *reason)
                  : std::string("executor: single, since nothing in this graph would gain by more threads");
  });
  return reason ? Executor::kAuto : Executor::kSingle;
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
  return choose(model, config, reason);
}

}  // namespace fermata::tensorflow
