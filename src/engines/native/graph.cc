#include <fmt/format.h>

#include <utility>

#include "engines/native/graph_impl.h"
#include "engines/native/native_session.h"
#include "engines/native/summaries.h"
#include "fermata/error.h"
#include "fermata/native.h"

namespace fermata::native {
namespace {

std::vector<TensorSpec> unknown_outputs(std::size_t count) { return std::vector<TensorSpec>(count); }

void require_callable(const Callable& function, const std::string& name) {
  if (!function) {
    throw Error(Code::kInvalidArgument, fmt::format("'{}' has no callable; give a function", name));
  }
}

void require_value(const Tensor& value, const std::string& name) {
  if (!value.has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' was given an empty Tensor, which is no value", name));
  }
}

Node value_node(std::string name, std::string_view type, TensorSpec spec) {
  Node node;
  node.name = std::move(name);
  node.type = type;
  node.output_names = {"value"};
  node.outputs = {std::move(spec)};
  return node;
}

TensorSpec known_spec(const TensorView& value) {
  return {value.dtype(), Shape(value.shape().begin(), value.shape().end())};
}

// Tags may hold what names may not.
std::string name_of_tag(std::string tag) {
  for (char& c : tag) {
    c = c == ':' ? '_' : c;
  }
  return tag.empty() ? "summary" : tag;
}

}  // namespace

Graph::Graph() : Graph(Options()) {}

Graph::Graph(Options options) : impl_(std::make_shared<Impl>()) {
  impl_->clock = options.clock ? std::move(options.clock) : Clock::system();
  impl_->step_name = std::move(options.global_step_name);
  if (options.global_step) {
    Graph::add_global_step();
  }
}

void Graph::add_global_step() {
  require_open("a global step");
  auto step = std::make_unique<StepVariable>(impl_->step_name);
  StepVariable* const added = step.get();
  const std::size_t id = impl_->add_variable(*this, std::move(step));
  impl_->step = added;
  impl_->add_to_collection(collections::kGlobalStep, Output{this, id, 0}.name());
}

Graph::~Graph() = default;

Output Graph::variable(std::string name, View view) {
  require_open(name);
  return {this, impl_->add_variable(*this, std::make_unique<MemoryVariable>(std::move(name), view)), 0};
}

Output Graph::variable(std::string name, Accessors accessors) {
  require_open(name);
  return {this, impl_->add_variable(*this, AccessorVariable::make(std::move(name), std::move(accessors))), 0};
}

Output Graph::local_variable(std::string name, View view) {
  const Output output = variable(std::move(name), std::move(view));
  impl_->nodes[output.node].variable->local = true;
  return output;
}

Output Graph::local_variable(std::string name, Accessors accessors) {
  const Output output = variable(std::move(name), std::move(accessors));
  impl_->nodes[output.node].variable->local = true;
  return output;
}

Output Graph::add_placeholder(std::string name, DType dtype, std::optional<Shape> shape) {
  require_open(name);
  Node node = value_node(std::move(name), "placeholder", {dtype, std::move(shape)});
  node.is_placeholder = true;
  return {this, impl_->add(*this, std::move(node)), 0};
}

Output Graph::placeholder_with_default(std::string name, Tensor value) {
  require_open(name);
  require_value(value, name);
  Node node = value_node(std::move(name), "placeholder_with_default", known_spec(value.view()));
  node.is_placeholder = true;
  node.constant = std::move(value);
  return {this, impl_->add(*this, std::move(node)), 0};
}

Output Graph::constant(std::string name, Tensor value) {
  require_open(name);
  require_value(value, name);
  Node node = value_node(std::move(name), "constant", known_spec(value.view()));
  node.constant = std::move(value);
  return {this, impl_->add(*this, std::move(node)), 0};
}

Output Graph::add_value(std::string name, std::vector<Output> inputs, TensorSpec spec, Callable function) {
  require_open(name);
  Node node = value_node(std::move(name), "value", std::move(spec));
  node.inputs = std::move(inputs);
  node.body = std::move(function);
  return {this, impl_->add(*this, std::move(node)), 0};
}

Operation Graph::step(std::string name, StepOptions options, Callable function) {
  require_open(name);
  require_callable(function, name);
  if (options.increment < 0) {
    throw Error(Code::kInvalidArgument, fmt::format("step '{}' has the increment {}; a step does not go back",
                                                    name, options.increment));
  }
  Node node;
  node.name = std::move(name);
  node.type = "step";
  node.inputs = std::move(options.inputs);
  node.outputs = unknown_outputs(options.outputs.size());
  node.output_names = std::move(options.outputs);
  node.body = std::move(function);
  node.increment = options.increment;
  const Operation step{this, impl_->add(*this, std::move(node))};
  impl_->add_to_collection(collections::kTrainOp, step.name());
  return step;
}

Operation Graph::operation(std::string name, OperationOptions options, Callable function) {
  require_open(name);
  require_callable(function, name);
  Node node;
  node.name = std::move(name);
  node.type = "operation";
  node.inputs = std::move(options.inputs);
  node.outputs = unknown_outputs(options.outputs.size());
  node.output_names = std::move(options.outputs);
  node.body = std::move(function);
  for (const Operation& before : options.after) {
    impl_->require_own(*this, before);
    node.after.push_back(before.node);
  }
  node.initializes = impl_->variables_of(*this, options.initializes);
  return {this, impl_->add(*this, std::move(node))};
}

Operation Graph::group(std::string name, std::vector<Operation> operations) {
  require_open(name);
  Node node;
  node.name = std::move(name);
  node.type = "group";
  for (const Operation& member : operations) {
    impl_->require_own(*this, member);
    node.after.push_back(member.node);
  }
  return {this, impl_->add(*this, std::move(node))};
}

Operation Graph::initializer(std::string name, std::vector<Output> variables) {
  std::vector<Variable*> found = impl_->variables_of(*this, variables);
  return operation(std::move(name), {.initializes = std::move(variables)}, [found](StepOutputs& /*out*/) {
    for (Variable* variable : found) {
      variable->reset();
    }
  });
}

Output Graph::scalar_summary(std::string tag, Output value) {
  const std::string name = impl_->free_name(name_of_tag(tag));
  const Output summary =
      add_value(name, {value}, {DType::kString, Shape{}}, scalar_summary_body(std::move(tag)));
  impl_->summaries.push_back(summary.node);
  return summary;
}

void Graph::on_close(std::function<void(Session&)> function) {
  require_open("a function for the close of a session");
  if (!function) {
    throw Error(Code::kInvalidArgument, "on_close was given no function");
  }
  impl_->close_functions.push_back(std::move(function));
}

Output Graph::global_step() const {
  if (const std::optional<std::size_t> step = impl_->find_step()) {
    return {this, *step, 0};
  }
  throw Misuse("the graph has no global step; make it with Options::global_step, or add one");
}

void Graph::set_global_step(Step step) {
  if (impl_->step == nullptr) {
    throw Misuse("the step of a graph that does not count was set; set the program's own variable");
  }
  impl_->step->set(step);
}

std::unique_ptr<Session> Graph::create_session(const SessionConfig& config) {
  return std::make_unique<NativeSession>(*this, impl_, config);
}

}  // namespace fermata::native
