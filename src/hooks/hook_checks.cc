#include "hooks/hook_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "fermata/error.h"
#include "fermata/graph.h"

namespace fermata::hooks {
namespace {

Output only_output(const Graph& graph, const Operation& operation, std::string_view hook) {
  const std::int32_t outputs = graph.num_outputs(operation.node);
  if (outputs == 1) {
    return operation.output(0);
  }
  const std::string name = operation.name();
  if (outputs == 0) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: '{}' is an operation without outputs, but a tensor is needed", hook, name));
  }
  throw Error(Code::kInvalidArgument,
              fmt::format("{}: '{}' is ambiguous, since this operation has {} outputs; write '{}:0' for the "
                          "first of them",
                          hook, name, outputs, name));
}

void require_own(const Graph& graph, const Graph* owner, const Fetch& fetch, std::string_view hook) {
  if (owner != &graph) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: '{}' belongs to another graph than the session; take it from the graph that "
                            "is trained",
                            hook, fetch.name()));
  }
}

Output named_tensor(const Graph& graph, const std::string& name, std::string_view hook) {
  if (name.find(':') == std::string::npos) {
    return only_output(graph, graph.operation(name), hook);
  }
  return graph.tensor(name);
}

}  // namespace

void require_one_interval(std::string_view owner, const NamedSteps& steps, const NamedSeconds& seconds) {
  if (steps.steps.has_value() == seconds.seconds.has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: exactly one of {} and {} must be given, but {}", owner, steps.name,
                            seconds.name, steps.steps ? "both were" : "neither was"));
  }
  if (steps.steps && *steps.steps < 0) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: {} must not be negative, but is {}", owner, steps.name, *steps.steps));
  }
  if (seconds.seconds && !(*seconds.seconds >= 0)) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{}: {} must not be negative, but is {}", owner, seconds.name, *seconds.seconds));
  }
}

SecondOrStepTimer make_timer(std::string_view owner, const NamedSteps& steps, const NamedSeconds& seconds,
                             std::shared_ptr<Clock> clock) {
  require_one_interval(owner, steps, seconds);
  return SecondOrStepTimer(
      {.every_secs = seconds.seconds, .every_steps = steps.steps, .clock = std::move(clock)});
}

void require_global_step(const Graph& graph, std::string_view hook) {
  if (!graph.has_global_step()) {
    throw Misuse(fmt::format(
        "{} needs a global step, but the graph has none; give the graph one, or name it where the "
        "graph is opened",
        hook));
  }
}

Output tensor_of(const Graph& graph, const Fetch& fetch, std::string_view hook) {
  if (const auto* name = std::get_if<std::string>(&fetch.what())) {
    return named_tensor(graph, *name, hook);
  }
  if (const auto* operation = std::get_if<Operation>(&fetch.what())) {
    require_own(graph, operation->graph, fetch, hook);
    return only_output(graph, *operation, hook);
  }
  const auto& output = std::get<Output>(fetch.what());
  require_own(graph, output.graph, fetch, hook);
  return output;
}

}  // namespace fermata::hooks
