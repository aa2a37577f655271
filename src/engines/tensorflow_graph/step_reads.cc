#include "engines/tensorflow_graph/step_reads.h"

#include <algorithm>

#include "wire/attr_value.h"

namespace fermata::tensorflow {

std::optional<NodeOutput> StepReads::read_after(const StepSource& step, const std::vector<Node>& nodes) {
  if (!step.is_variable()) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  const std::vector<Node> after = awaitable(nodes);
  return after.empty() ? std::nullopt : std::optional(add(step, after));
}

NodeOutput StepReads::read(const StepSource& step) {
  if (!step.is_variable()) {
    return step.output;
  }
  const std::lock_guard lock(mutex_);
  return add(step, {});
}

std::vector<Node> StepReads::awaitable(std::vector<Node> nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (control_flow_ && !control_flow_->exists()) {
    return nodes;
  }
  // The graph may have grown since it was looked at.
  const GraphIndex index(graph_);
  if (!control_flow_ || index.nodes().size() != indexed_nodes_) {
    control_flow_.emplace(index);
    indexed_nodes_ = index.nodes().size();
  }
  std::erase_if(nodes, [&](Node node) { return control_flow_->encloses(node); });
  return nodes;
}

NodeOutput StepReads::add(const StepSource& step, const std::vector<Node>& after) {
  const auto [place, is_new] = reads_.try_emplace({step.output, after});
  if (is_new) {
    const std::string dtype =
        wire::attr_of_type(static_cast<std::int32_t>(variable_spec(graph_, step.output.node).dtype));
    NewNode read;
    read.name = graph_.unique_name("fermata/step_read");
    read.inputs = {{{step.output}}};
    read.control_inputs = after;
    if (step.kind == StepSource::Kind::kResource) {
      read.type = "ReadVariableOp";
      read.attrs = {{"dtype", dtype}};
    } else {
      read.type = "Identity";
      read.attrs = {{"T", dtype}};
    }
    try {
      place->second = {graph_.add(read, Visibility::kHidden), 0};
    } catch (...) {
      reads_.erase(place);
      throw;
    }
  }
  return place->second;
}

}  // namespace fermata::tensorflow
