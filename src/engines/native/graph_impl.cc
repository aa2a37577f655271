#include "engines/native/graph_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fermata/error.h"

namespace fermata::native {
namespace {

bool is_integer(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return true;
    default:
      return false;
  }
}

void require_name(const std::string& name) {
  if (name.empty() || name.find(':') != std::string::npos) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' cannot be the name of something in a graph: a name is not empty and has no "
                            "colon, which separates the number of an output",
                            name));
  }
}

}  // namespace

void SessionState::fail_closed() {
  throw Error(Code::kCancelled, "Session has been closed.", ErrorSource::kEngine);
}

std::size_t Graph::Impl::add(const Graph& graph, Node node) {
  require_name(node.name);
  if (by_name.contains(node.name)) {
    throw Error(Code::kAlreadyExists,
                fmt::format("'{}' is in the graph already; choose another name", node.name));
  }
  for (const Output& input : node.inputs) {
    require_own(graph, input);
  }
  const std::size_t id = nodes.size();
  const auto place = by_name.emplace(node.name, id).first;
  try {
    nodes.push_back(std::move(node));
  } catch (...) {
    by_name.erase(place);
    throw;
  }
  return id;
}

std::size_t Graph::Impl::add_variable(const Graph& graph, std::unique_ptr<Variable> variable) {
  Node node;
  node.name = variable->name();
  node.type = "variable";
  node.outputs = {variable->spec()};
  node.variable = variable.get();
  variables.reserve(variables.size() + 1);  // so that nothing can fail once the node is there
  const std::size_t id = add(graph, std::move(node));
  variable->index = variables.size();
  variables.push_back(std::move(variable));
  return id;
}

std::string Graph::Impl::free_name(std::string_view name) const {
  std::string candidate(name);
  for (int i = 1; by_name.contains(candidate); ++i) {
    candidate = fmt::format("{}_{}", name, i);
  }
  return candidate;
}

void Graph::Impl::add_to_collection(std::string_view key, std::string_view name) {
  std::vector<std::string>& names = collections[std::string(key)];
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.emplace_back(name);
  }
}

const Node& Graph::Impl::node(std::uintptr_t id) const {
  if (id >= nodes.size()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("operation number {} was asked for, but the graph has {}", id, nodes.size()));
  }
  return nodes[id];
}

void Graph::Impl::require_own(const Graph& graph, const Output& output) const {
  if (output.graph != &graph) {
    throw Error(Code::kInvalidArgument, fmt::format("tensor '{}' belongs to another graph", output.name()));
  }
  if (const Node& owner = node(output.node);
      output.index < 0 || static_cast<std::size_t>(output.index) >= owner.outputs.size()) {
    throw Error(Code::kInvalidArgument, fmt::format("'{}' has {} outputs, but output {} was asked for",
                                                    owner.name, owner.outputs.size(), output.index));
  }
}

void Graph::Impl::require_own(const Graph& graph, const Operation& operation) const {
  if (operation.graph != &graph) {
    throw Error(Code::kInvalidArgument,
                fmt::format("operation '{}' belongs to another graph", operation.name()));
  }
  static_cast<void>(node(operation.node));
}

std::vector<Variable*> Graph::Impl::variables_of(const Graph& graph, std::span<const Output> outputs) const {
  std::vector<Variable*> found;
  for (const Output& output : outputs) {
    require_own(graph, output);
    const Node& owner = node(output.node);
    if (owner.variable == nullptr) {
      throw Error(
          Code::kInvalidArgument,
          fmt::format("'{}' is no variable, but {}; only variables are initialised", owner.name, owner.type));
    }
    found.push_back(owner.variable);
  }
  return found;
}

std::vector<Variable*> Graph::Impl::all_variables() const {
  std::vector<Variable*> found;
  for (const auto& variable : variables) {
    found.push_back(variable.get());
  }
  return found;
}

std::vector<Variable*> Graph::Impl::variables_where(bool local) const {
  std::vector<Variable*> found = all_variables();
  std::erase_if(found, [local](const Variable* variable) { return variable->local != local; });
  return found;
}

std::optional<std::size_t> Graph::Impl::find_step() const {
  const auto in_collection = collections.find(collections::kGlobalStep);
  std::string name = "global_step:0";
  if (in_collection != collections.end() && !in_collection->second.empty()) {
    if (in_collection->second.size() > 1) {
      throw Misuse(fmt::format("the collection global_step holds {} steps ({}), but a graph has one",
                               in_collection->second.size(), fmt::join(in_collection->second, ", ")));
    }
    name = in_collection->second.front();
  }
  const auto found = by_name.find(std::string_view(name).substr(0, name.rfind(':')));
  if (found == by_name.end()) {
    return std::nullopt;
  }
  const Node& node = nodes[found->second];
  const TensorSpec& spec = node.outputs.empty() ? TensorSpec{} : node.outputs.front();
  if ((node.variable == nullptr && !node.constant.has_value()) || !is_integer(spec.dtype) ||
      (spec.shape && !spec.shape->empty())) {
    throw Misuse(
        fmt::format("the global step '{}' is {} of {}, but a step is a variable or constant that is an "
                    "integer scalar",
                    name, node.type, node.outputs.empty() ? "nothing" : dtype_name(spec.dtype)));
  }
  return found->second;
}

Step Graph::Impl::step_value(std::size_t id) const {
  const Node& node = nodes[id];
  if (node.variable == step && step != nullptr) {
    return step->value();
  }
  Slot slot;
  if (node.variable != nullptr) {
    node.variable->read(slot);
  } else {
    slot.refer(node.constant.view());
  }
  const TensorView& value = slot.view();
  return value.dtype() == DType::kInt64 ? value.scalar<Step>() : static_cast<Step>(value.as_double());
}

}  // namespace fermata::native
