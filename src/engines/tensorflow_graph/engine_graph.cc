#include "engines/tensorflow_graph/engine_graph.h"

#include <array>
#include <charconv>

#include "engines/tensorflow_graph/engine_error.h"
#include "wire/graph_def.h"

namespace fermata::tensorflow {
namespace {

// TensorFlow adds this to a type for a reference to it.
constexpr std::int32_t kReferenceOffset = 100;

void append(void* user, const void* data, std::uint64_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

FermataString as_string(const std::string& text) { return {text.data(), text.size()}; }

// What the C struct points to, as long as it is needed.
struct Arguments {
  std::vector<std::vector<FermataOutput>> outputs;
  std::vector<FermataNodeInput> inputs;
  std::vector<FermataNodeAttr> attrs;
};

Arguments arguments_of(const NewNode& node) {
  Arguments arguments;
  for (const NewNode::Input& input : node.inputs) {
    std::vector<FermataOutput>& outputs = arguments.outputs.emplace_back();
    for (const NodeOutput& output : input.outputs) {
      outputs.push_back({output.node, output.index});
    }
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::vector<FermataOutput>& outputs = arguments.outputs[i];
    arguments.inputs.push_back(
        {outputs.data(), static_cast<std::int32_t>(outputs.size()), node.inputs[i].is_list ? 1 : 0});
  }
  for (const auto& [name, value] : node.attrs) {
    arguments.attrs.push_back({name.c_str(), as_string(value)});
  }
  return arguments;
}

}  // namespace

EngineGraph::EngineGraph(const Runtime& runtime) : api_(*runtime.api), graph_(runtime.api->graph_new()) {
  if (graph_ == nullptr) {
    throw Error(Code::kResourceExhausted, "TensorFlow has no memory for a graph", ErrorSource::kEngine);
  }
}

EngineGraph::~EngineGraph() { api_.graph_delete(graph_); }

void EngineGraph::import(std::string_view graph_def) {
  FermataStatus status{};
  api_.graph_import(graph_, graph_def.data(), graph_def.size(), &status);
  check(status);
}

Node EngineGraph::find(const std::string& name) const { return api_.graph_operation(graph_, name.c_str()); }

std::optional<NodeOutput> EngineGraph::find_output(const std::string& name) const {
  const std::size_t colon = name.rfind(':');
  NodeOutput output;
  if (colon != std::string::npos) {
    const char* const end = name.data() + name.size();
    const auto [parsed, error] = std::from_chars(name.data() + colon + 1, end, output.index);
    if (error != std::errc() || parsed != end || output.index < 0) {
      return std::nullopt;
    }
  }
  output.node = find(name.substr(0, colon));
  if (output.node == nullptr || output.index >= num_outputs(output.node)) {
    return std::nullopt;
  }
  return output;
}

std::vector<Node> EngineGraph::nodes() const {
  std::vector<Node> nodes;
  api_.graph_each_operation(
      graph_,
      [](void* user, void* operation) { static_cast<std::vector<Node>*>(user)->push_back(operation); },
      &nodes);
  return nodes;
}

bool EngineGraph::is_hidden(Node node) const {
  const std::lock_guard lock(mutex_);
  return hidden_.contains(node);
}

std::string EngineGraph::name(const NodeOutput& output) const {
  return name(output.node) + ":" + std::to_string(output.index);
}

std::vector<NodeOutput> EngineGraph::inputs(Node node) const {
  std::vector<NodeOutput> inputs;
  const std::int32_t count = api_.operation_num_inputs(node);
  for (std::int32_t i = 0; i < count; ++i) {
    inputs.push_back(input(node, i));
  }
  return inputs;
}

NodeOutput EngineGraph::input(Node node, std::int32_t index) const {
  const FermataOutput output = api_.operation_input(node, index);
  return {output.operation, output.index};
}

std::vector<Node> EngineGraph::control_inputs(Node node) const {
  std::vector<Node> nodes(static_cast<std::size_t>(api_.operation_num_control_inputs(node)));
  if (!nodes.empty()) {
    api_.operation_control_inputs(node, nodes.data(), static_cast<std::int32_t>(nodes.size()));
  }
  return nodes;
}

std::optional<std::string> EngineGraph::attr(Node node, const char* attr_name) const {
  std::string bytes;
  FermataStatus status{};
  api_.operation_attr(node, attr_name, append, &bytes, &status);
  if (status.code != 0) {
    return std::nullopt;
  }
  return bytes;
}

DType EngineGraph::dtype(const NodeOutput& output) const {
  const std::int32_t dtype = api_.output_dtype({output.node, output.index});
  return static_cast<DType>(dtype > kReferenceOffset ? dtype - kReferenceOffset : dtype);
}

bool EngineGraph::is_reference(const NodeOutput& output) const {
  return api_.output_dtype({output.node, output.index}) > kReferenceOffset;
}

std::optional<Shape> EngineGraph::shape(const NodeOutput& output) const {
  std::array<std::int64_t, 16> sizes{};
  const std::int32_t rank = api_.output_shape(graph_, {output.node, output.index}, sizes.data(),
                                              static_cast<std::int32_t>(sizes.size()));
  if (rank < 0) {
    return std::nullopt;
  }
  Shape shape(static_cast<std::size_t>(rank));
  if (shape.size() <= sizes.size()) {
    std::copy_n(sizes.begin(), shape.size(), shape.begin());
  } else {
    api_.output_shape(graph_, {output.node, output.index}, shape.data(), rank);
  }
  return shape;
}

Node EngineGraph::add(const NewNode& node, Visibility visibility) {
  const Arguments arguments = arguments_of(node);
  FermataNode c_node{};
  c_node.type = node.type.c_str();
  c_node.name = node.name.c_str();
  c_node.device = node.device.empty() ? nullptr : node.device.c_str();
  c_node.inputs = arguments.inputs.data();
  c_node.num_inputs = static_cast<std::int32_t>(arguments.inputs.size());
  c_node.control_inputs = node.control_inputs.data();
  c_node.num_control_inputs = static_cast<std::int32_t>(node.control_inputs.size());
  c_node.attrs = arguments.attrs.data();
  c_node.num_attrs = static_cast<std::int32_t>(arguments.attrs.size());
  FermataStatus status{};
  Node const added = api_.graph_add(graph_, &c_node, &status);
  check(status, "adding '" + node.name + "' to the graph");
  const std::lock_guard lock(mutex_);
  if (visibility == Visibility::kHidden) {
    hidden_.insert(added);
  } else {
    grew_ = true;
  }
  return added;
}

std::string EngineGraph::unique_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 1; find(name) != nullptr; ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  return name;
}

bool EngineGraph::grew() const {
  const std::lock_guard lock(mutex_);
  return grew_;
}

std::string EngineGraph::graph_def() const {
  std::string bytes;
  FermataStatus status{};
  api_.graph_to_graph_def(graph_, append, &bytes, &status);
  check(status, "writing the graph's definition");
  std::set<std::string, std::less<>> hidden;
  {
    const std::lock_guard lock(mutex_);
    for (Node const node : hidden_) {
      hidden.insert(name(node));
    }
  }
  return hidden.empty() ? bytes
                        : wire::without_nodes(bytes, [&](std::string_view n) { return hidden.contains(n); });
}

}  // namespace fermata::tensorflow
