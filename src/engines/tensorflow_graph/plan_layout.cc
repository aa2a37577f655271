#include "engines/tensorflow_graph/plan_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

class Layouter {
 public:
  Layouter(const Model::Impl& model, const PlanRequest& request) : model_(model), request_(request) {}

  PlanLayout make() {
    for (const Output& feed : request_.feeds) {
      add_feed(feed);
    }
    for (const Operation& target : request_.targets) {
      add_target(target);
    }
    for (const Output& fetch : request_.fetches) {
      add_fetch(fetch);
    }
    add_own_feeds();
    layout_.trains = trains();
    layout_.is_measured = layout_.trains || request_.read_step;
    if (request_.read_step) {
      add_step();
    }
    return std::move(layout_);
  }

 private:
  [[nodiscard]] const EngineGraph& graph() const { return *model_.graph; }

  template <typename Handle>
  [[nodiscard]] Node node_of(const Handle& handle) const {
    if (handle.graph != model_.model) {
      throw Error(
          Code::kInvalidArgument,
          fmt::format("'{}' belongs to another graph than the session; take it from the session's graph",
                      handle.name()));
    }
    return reinterpret_cast<Node>(handle.node);  // NOLINT(performance-no-int-to-ptr): it was a Node
  }

  [[nodiscard]] NodeOutput output_of(const Output& output) const {
    Node const node = node_of(output);
    if (output.index < 0 || output.index >= graph().num_outputs(node)) {
      throw Error(Code::kNotFound, fmt::format("operation '{}' has {} outputs, but output {} was asked for",
                                               graph().name(node), graph().num_outputs(node), output.index));
    }
    return {node, output.index};
  }

  void require_value(const NodeOutput& output, std::string_view what) const {
    const DType dtype = graph().dtype(output);
    if (dtype != DType::kResource && dtype != DType::kVariant) {
      return;
    }
    const auto variable =
        std::ranges::find_if(model_.variables, [&](const Variable& v) { return v.node == output.node; });
    const std::string instead = variable == model_.variables.end() || variable->snapshot.empty()
                                    ? "name a tensor with a value"
                                    : fmt::format("its value is '{}'", variable->snapshot);
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' cannot be {}: it is a handle ({}) and has no value itself; {}",
                            graph().name(output), what, dtype_name(dtype), instead));
  }

  void add_feed(const Output& feed) {
    const NodeOutput output = output_of(feed);
    require_value(output, "fed");
    if (std::ranges::count(layout_.request.feeds, output) != 0) {
      throw Misuse(fmt::format("'{}' is fed twice in one request; keep one", graph().name(output)));
    }
    layout_.request.feeds.push_back(output);
    layout_.feeds.push_back({graph().name(output), {graph().dtype(output), graph().shape(output)}});
  }

  void add_target(const Operation& target) {
    Node const node = node_of(target);
    if (std::ranges::count(layout_.request.targets, node) == 0) {
      layout_.request.targets.push_back(node);
    }
  }

  std::int32_t add_engine_fetch(const NodeOutput& output) {
    std::vector<NodeOutput>& fetches = layout_.request.fetches;
    const auto found = std::ranges::find(fetches, output);
    const auto place = static_cast<std::int32_t>(found - fetches.begin());
    if (found == fetches.end()) {
      fetches.push_back(output);
    }
    return place;
  }

  // TensorFlow refuses to fetch what is fed; the answer is the fed value.
  void add_fetch(const Output& fetch) {
    const NodeOutput output = output_of(fetch);
    require_value(output, "fetched");
    const std::vector<NodeOutput>& feeds = layout_.request.feeds;
    const auto fed = std::ranges::find(feeds, output);
    layout_.sources.push_back(fed == feeds.end() ? add_engine_fetch(output)
                                                 : -1 - static_cast<std::int32_t>(fed - feeds.begin()));
  }

  void add_own_feeds() {
    for (Node const target : layout_.request.targets) {
      const auto found = model_.own_feeds.find(target);
      if (found == model_.own_feeds.end()) {
        continue;
      }
      for (const auto& [output, value] : found->second) {
        if (std::ranges::count(layout_.request.feeds, output) == 0) {
          layout_.request.feeds.push_back(output);
          layout_.fixed_values.push_back(value);
        }
      }
    }
  }

  [[nodiscard]] std::vector<Node> run_nodes() const {
    std::vector<Node> nodes = layout_.request.targets;
    for (const NodeOutput& fetch : layout_.request.fetches) {
      nodes.push_back(fetch.node);
    }
    return nodes;
  }

  [[nodiscard]] bool trains() const {
    Node const train = model_.train_node();
    return train != nullptr && with_ancestors(graph(), run_nodes()).contains(train);
  }

  void add_step() {
    const StepSource step = model_.step();
    if (step.kind == StepSource::Kind::kNone) {
      throw Misuse(
          "the step of a run is wanted, but the graph has no global step; name its variable, or let Fermata "
          "count");
    }
    if (step.kind == StepSource::Kind::kCounted) {
      layout_.step_from = PlanLayout::StepFrom::kCount;
      return;
    }
    const std::vector<Node> nodes = run_nodes();
    const std::optional<NodeOutput> read =
        nodes.empty() ? std::nullopt : model_.reads->read_after(step, nodes);
    if (read) {
      layout_.step_from = PlanLayout::StepFrom::kFetch;
      layout_.step_fetch = static_cast<std::size_t>(add_engine_fetch(*read));
    } else {
      layout_.step_from = PlanLayout::StepFrom::kOwnRun;
      layout_.step_read = model_.reads->read(step);
    }
  }

  const Model::Impl& model_;
  const PlanRequest& request_;
  PlanLayout layout_;
};

}  // namespace

PlanLayout lay_out(const Model::Impl& model, const PlanRequest& request) {
  return Layouter(model, request).make();
}

}  // namespace fermata::tensorflow
