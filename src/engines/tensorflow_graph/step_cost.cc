#include "engines/tensorflow_graph/step_cost.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/operation_cost.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

// What the thread pool adds to a step, and to each of its operations, over the single-threaded executor: it
// is woken, and hands on what is ready.
constexpr double kPoolPerStep = 20'000;
constexpr double kPoolPerOperation = 300;
// A step that would gain less is not worth a guess.
constexpr double kLeastShare = 0.1;

// Attributes that name a function which a node calls.
constexpr const char* kCalls[] = {"f", "body", "cond", "then_branch", "else_branch"};

class BodyCosts {
 public:
  explicit BodyCosts(const wire::FunctionLibrary& functions) : functions_(functions) {}

  // Nothing for a function that is not there, or that calls itself.
  StepCost of(const std::string& name, std::span<const KnownShape> arguments) {
    if (!functions_.contains(name) || !under_way_.insert(name).second) {
      return {};
    }
    const wire::FunctionDef body = functions_.read(name);
    const StepCost cost = add_up(parts_of(body, arguments));
    under_way_.erase(name);
    return cost;
  }

 private:
  using Outputs = std::vector<KnownShape>;

  std::vector<StepPart> parts_of(const wire::FunctionDef& body, std::span<const KnownShape> arguments) {
    std::map<std::string_view, std::size_t> places;
    std::vector<Outputs> shapes;
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
      places.emplace(body.nodes[i].name, i);
      shapes.push_back(wire::shapes_in_attr(body.nodes[i].attr("_output_shapes")));
    }
    std::vector<StepPart> parts;
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
      StepPart& part = parts.emplace_back();
      std::vector<KnownShape> inputs;
      for (const std::string_view input : body.nodes[i].inputs) {
        add_input(body, input, places, shapes, arguments, part, inputs);
      }
      part.cost = of_node(body.nodes[i], inputs, shapes[i]);
    }
    return parts;
  }

  // "node:output:0", "^node" or the name of an argument.
  static void add_input(const wire::FunctionDef& body, std::string_view input,
                        const std::map<std::string_view, std::size_t>& places,
                        std::span<const Outputs> shapes, std::span<const KnownShape> arguments,
                        StepPart& part, std::vector<KnownShape>& inputs) {
    const bool is_order = input.starts_with('^');
    const std::string_view node = input.substr(is_order ? 1 : 0, input.find(':') - (is_order ? 1 : 0));
    const auto place = places.find(node);
    if (place != places.end()) {
      part.after.push_back(place->second);
    }
    if (is_order) {
      return;
    }
    if (place == places.end()) {
      const auto argument =
          static_cast<std::size_t>(std::ranges::find(body.arguments, node) - body.arguments.begin());
      inputs.push_back(argument < arguments.size() ? arguments[argument] : std::nullopt);
      return;
    }
    std::size_t index = 0;
    std::from_chars(input.data() + input.rfind(':') + 1, input.data() + input.size(), index);
    const Outputs& outputs = shapes[place->second];
    inputs.push_back(index < outputs.size() ? outputs[index] : std::nullopt);
  }

  StepCost of_node(const wire::NodeDef& node, std::span<const KnownShape> inputs,
                   std::span<const KnownShape> outputs) {
    StepCost cost;
    for (const char* const attr : kCalls) {
      if (const auto called = wire::function_in_attr(node.attr(attr))) {
        const StepCost body = of(*called, inputs);
        cost.total += body.total;
        cost.longest += body.longest;
        cost.operations += body.operations;
      }
    }
    if (cost.operations == 0) {
      cost.total = cost.longest = operation_cost(node.op, inputs, outputs);
      cost.operations = 1;
    }
    return cost;
  }

  const wire::FunctionLibrary& functions_;
  std::set<std::string> under_way_;
};

StepCost cost_of_node(const EngineGraph& graph, Node node, BodyCosts& bodies) {
  std::vector<KnownShape> inputs;
  for (const NodeOutput& input : graph.inputs(node)) {
    inputs.push_back(graph.shape(input));
  }
  StepCost cost;
  for (const char* const attr : kCalls) {
    if (const auto value = graph.attr(node, attr)) {
      const StepCost body = bodies.of(wire::function_in_attr(*value).value_or(std::string()), inputs);
      cost.total += body.total;
      cost.longest += body.longest;
      cost.operations += body.operations;
    }
  }
  if (cost.operations == 0) {
    std::vector<KnownShape> outputs;
    for (std::int32_t i = 0; i < graph.num_outputs(node); ++i) {
      outputs.push_back(graph.shape({node, i}));
    }
    cost.total = cost.longest = operation_cost(graph.type(node), inputs, outputs);
    cost.operations = 1;
  }
  return cost;
}

}  // namespace

StepCost add_up(std::span<const StepPart> parts) {
  std::vector<std::vector<std::size_t>> followers(parts.size());
  std::vector<std::size_t> waiting(parts.size());
  std::vector<double> ready_at(parts.size());
  std::vector<std::size_t> ready;
  StepCost sum;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum.total += parts[i].cost.total;
    sum.operations += parts[i].cost.operations;
    waiting[i] = parts[i].after.size();
    for (const std::size_t before : parts[i].after) {
      followers[before].push_back(i);
    }
    if (waiting[i] == 0) {
      ready.push_back(i);
    }
  }
  while (!ready.empty()) {
    const std::size_t part = ready.back();
    ready.pop_back();
    const double end = ready_at[part] + parts[part].cost.longest;
    sum.longest = std::max(sum.longest, end);
    for (const std::size_t follower : followers[part]) {
      ready_at[follower] = std::max(ready_at[follower], end);
      if (--waiting[follower] == 0) {
        ready.push_back(follower);
      }
    }
  }
  return sum;
}

StepCost step_cost(const EngineGraph& graph, const wire::FunctionLibrary& functions,
                   const std::vector<Node>& nodes) {
  const NodeSet needed = with_ancestors(graph, nodes);
  const std::vector<Node> ordered(needed.begin(), needed.end());
  std::unordered_map<Node, std::size_t> places;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    places.emplace(ordered[i], i);
  }
  BodyCosts bodies(functions);
  std::vector<StepPart> parts;
  for (Node const node : ordered) {
    StepPart& part = parts.emplace_back();
    part.cost = cost_of_node(graph, node, bodies);
    for (const NodeOutput& input : graph.inputs(node)) {
      part.after.push_back(places.at(input.node));
    }
    for (Node const source : graph.control_inputs(node)) {
      part.after.push_back(places.at(source));
    }
  }
  return add_up(parts);
}

bool gains_by_threads(const StepCost& step, int threads) {
  const double spread = std::max(step.longest, step.total / std::max(threads, 1));
  const double gain = step.total - spread;
  const double price = kPoolPerStep + kPoolPerOperation * static_cast<double>(step.operations);
  return gain > price && gain > kLeastShare * step.total;
}

}  // namespace fermata::tensorflow
