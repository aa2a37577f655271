#include "fermata/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/nearest_names.h"
#include "fermata/error.h"
#include "fermata/session.h"

namespace fermata {
namespace {

struct TensorName {
  std::string_view operation;
  std::int32_t index = 0;
};

// "op:1" or "op"; nothing if what follows the colon is no number.
std::optional<TensorName> parse_tensor_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) {
    return TensorName{name, 0};
  }
  const std::string_view digits = name.substr(colon + 1);
  TensorName parsed{name.substr(0, colon), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.index);
  if (error != std::errc() || end != digits.data() + digits.size() || parsed.index < 0) {
    return std::nullopt;
  }
  return parsed;
}

std::vector<std::string> operation_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Operation& operation : graph.operations()) {
    names.push_back(graph.operation_name(operation.node));
  }
  return names;
}

std::vector<std::string> tensor_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Operation& operation : graph.operations()) {
    for (std::int32_t i = 0; i < graph.num_outputs(operation.node); ++i) {
      names.push_back(fmt::format("{}:{}", graph.operation_name(operation.node), i));
    }
  }
  return names;
}

}  // namespace

std::string Output::name() const {
  return graph == nullptr ? std::string("(no tensor)")
                          : fmt::format("{}:{}", graph->operation_name(node), index);
}

std::string Operation::name() const {
  return graph == nullptr ? std::string("(no operation)") : graph->operation_name(node);
}

Output Operation::output(std::int32_t index) const {
  if (graph == nullptr || index < 0 || index >= graph->num_outputs(node)) {
    throw Error(Code::kNotFound, fmt::format("operation '{}' has {} outputs, but output {} was asked for",
                                             name(), graph == nullptr ? 0 : graph->num_outputs(node), index));
  }
  return {graph, node, index};
}

Output Operation::output(std::string_view output_name) const {
  const std::optional<std::int32_t> index =
      graph == nullptr ? std::nullopt : graph->output_index(node, output_name);
  if (!index) {
    throw Error(
        Code::kNotFound,
        fmt::format("operation '{}' has no output of the name '{}'; declare it where the operation is made",
                    name(), output_name));
  }
  return {graph, node, *index};
}

Graph::Graph() = default;
Graph::~Graph() = default;

std::optional<Output> Graph::find_tensor(std::string_view name) const {
  const std::optional<TensorName> parsed = parse_tensor_name(name);
  if (!parsed) {
    return std::nullopt;
  }
  const std::optional<Operation> found = find_operation(parsed->operation);
  if (!found || parsed->index >= num_outputs(found->node)) {
    return std::nullopt;
  }
  return Output{this, found->node, parsed->index};
}

Operation Graph::operation(std::string_view name) const {
  if (const std::optional<Operation> found = find_operation(name)) {
    return *found;
  }
  throw Error(Code::kNotFound, fmt::format("the graph has no operation '{}'{}", name,
                                           did_you_mean(name, operation_names(*this))));
}

Output Graph::tensor(std::string_view name) const {
  if (const std::optional<Output> found = find_tensor(name)) {
    return *found;
  }
  throw Error(Code::kNotFound,
              fmt::format("the graph has no tensor '{}'{}", name, did_you_mean(name, tensor_names(*this))));
}

std::optional<std::int32_t> Graph::output_index(std::uintptr_t /*node*/, std::string_view /*name*/) const {
  return std::nullopt;
}

Operation Graph::add_operation(const NodeSpec& node) {
  throw Error(
      Code::kUnimplemented,
      fmt::format("a graph of the {} engine takes no operation of type '{}': it is not made of registered "
                  "operations; build it with the engine's own header",
                  engine(), node.type));
}

SaverDef Graph::add_saver(const std::map<std::string, std::string>& /*names*/) {
  throw Error(Code::kUnimplemented,
              fmt::format("a graph of the {} engine makes no savers; use default_saver", engine()));
}

void Graph::require_saver_names(const std::map<std::string, std::string>& names) const {
  if (names.empty()) {
    throw Error(Code::kInvalidArgument, "a saver was asked for, but no variable was named that it saves");
  }
  const std::vector<VariableInfo> all = variables();
  std::map<std::string, std::string> seen;
  for (const auto& [key, variable] : names) {
    const bool known = std::any_of(all.begin(), all.end(), [&variable = variable](const VariableInfo& info) {
      return !info.local && (info.name == variable || info.checkpoint_key == variable);
    });
    if (!known) {
      std::vector<std::string> known_names;
      for (const VariableInfo& info : all) {
        known_names.push_back(info.name);
      }
      throw Error(Code::kNotFound,
                  fmt::format("the saver names '{}', which is no saved variable of the graph{}", variable,
                              did_you_mean(variable, known_names)));
    }
    if (const auto [first, added] = seen.emplace(variable, key); !added) {
      throw Error(Code::kInvalidArgument,
                  fmt::format("the saver has the variable '{}' under two names, '{}' and '{}'; give it one",
                              variable, first->second, key));
    }
  }
}

void Graph::add_global_step() {
  throw Error(Code::kUnimplemented,
              fmt::format("a graph of the {} engine takes no global step; make one where the graph is built",
                          engine()));
}

std::vector<QueueRunnerInfo> Graph::queue_runners() const { return {}; }

void Graph::add_queue_runner(std::shared_ptr<QueueRunner> runner) {
  require_open("a queue runner");
  queue_runners_.push_back(std::move(runner));
}

std::vector<std::shared_ptr<QueueRunner>> Graph::queue_runner_objects(
    const std::function<std::shared_ptr<QueueRunner>(const QueueRunnerInfo&)>& make) {
  if (!queue_runners_made_) {
    std::vector<std::shared_ptr<QueueRunner>> own;
    for (const QueueRunnerInfo& info : queue_runners()) {
      own.push_back(make(info));
    }
    queue_runners_.insert(queue_runners_.begin(), own.begin(), own.end());
    queue_runners_made_ = true;
  }
  return queue_runners_;
}

bool Graph::has_queue_runners() const { return !queue_runners_.empty() || !queue_runners().empty(); }

std::string Graph::graph_def() const { return {}; }
std::string Graph::meta_graph_def() const { return {}; }

void Graph::require_open(std::string_view what) const {
  if (finalized_) {
    throw Misuse(
        fmt::format("{} cannot be added: the graph is finalized and cannot be modified; add it before the "
                    "session is made, in a hook's begin at the latest",
                    what));
  }
}

}  // namespace fermata
