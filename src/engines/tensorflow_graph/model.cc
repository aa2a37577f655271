#include "engines/tensorflow_graph/model_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/nearest_names.h"
#include "engines/tensorflow_graph/collection_names.h"
#include "engines/tensorflow_graph/graph_session.h"
#include "engines/tensorflow_graph/model_pieces.h"
#include "engines/tensorflow_graph/new_saver.h"
#include "engines/tensorflow_graph/repeatable.h"
#include "engines/tensorflow_graph/saved_model_pieces.h"
#include "engines/tensorflow_graph/step_variable.h"
#include "fermata/error.h"
#include "wire/malformed.h"

namespace fermata::tensorflow {
namespace {

constexpr std::string_view kQueueRunners = "queue_runners";

Node node_of(std::uintptr_t node) { return reinterpret_cast<Node>(node); }

std::uintptr_t number_of(Node node) { return reinterpret_cast<std::uintptr_t>(node); }

std::vector<std::string> keys_of(const std::vector<Signature>& signatures) {
  std::vector<std::string> keys;
  for (const Signature& signature : signatures) {
    keys.push_back(signature.key);
  }
  return keys;
}

// The values of this collection are definitions. Those that were added are kept apart from those that the
// graph came with, since the runners themselves are told apart like that too.
std::string checked_queue_runner(std::string_view definition) {
  try {
    static_cast<void>(wire::read_queue_runner_definition(definition));
  } catch (const wire::Malformed& malformed) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("the collection '{}' takes definitions of queue runners, but {}; register a runner "
                    "with add_queue_runner",
                    kQueueRunners, malformed.what()));
  }
  return std::string(definition);
}

wire::SaverDefinition to_definition(const SaverDef& saver) {
  return {saver.filename_tensor_name,
          saver.save_tensor_name,
          saver.restore_op_name,
          saver.max_to_keep,
          saver.sharded,
          static_cast<float>(saver.keep_checkpoint_every_n_hours)};
}

}  // namespace

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->model = this;
  if (!impl_->options.train_op.empty()) {
    static_cast<void>(impl_->train_fetch());
  }
  if (!impl_->options.global_step.empty()) {
    static_cast<void>(impl_->step());
  }
  if (impl_->is_saved_model) {
    add_saved_model_warnings(*impl_);
  }
}

Model::~Model() = default;

std::string_view Model::engine() const noexcept { return "tensorflow"; }

bool Model::is_saved_model() const noexcept { return impl_->is_saved_model; }

const std::vector<Signature>& Model::signatures() const noexcept { return impl_->signatures; }

const std::vector<std::string>& Model::warnings() const noexcept { return impl_->warnings; }

std::string Model::runtime_version() const { return impl_->version; }

bool Model::has_own_input() const { return feeds_itself(*impl_); }

std::vector<std::string> Model::unrepeatable_operations() const { return find_unrepeatable(*impl_); }

bool Model::has_train_op() const noexcept { return impl_->train_node() != nullptr; }

Fetch Model::train_op() const {
  if (std::optional<Fetch> fetch = impl_->train_fetch()) {
    return *fetch;
  }
  if (impl_->is_saved_model) {
    const std::string& key = impl_->options.train_signature;
    throw Error(Code::kNotFound,
                fmt::format("the SavedModel '{}' has no signature '{}' that trains; it has: {}; name "
                            "the one that trains (--signature) or an operation (--train-op)",
                            impl_->source, key, fmt::join(keys_of(impl_->signatures), ", ")));
  }
  throw Error(
      Code::kNotFound,
      fmt::format("{} does not say which operation trains: its collection 'train_op' is empty; name the "
                  "operation (--train-op)",
                  impl_->source.empty() ? "the graph" : fmt::format("'{}'", impl_->source)));
}

std::unique_ptr<Session> Model::create_session(const SessionConfig& config) {
  return std::make_unique<GraphSession>(*impl_, config);
}

// --- looking up

std::optional<Operation> Model::find_operation(std::string_view name) const {
  Node const node = impl_->graph->find(std::string(name));
  if (node == nullptr || impl_->graph->is_hidden(node)) {
    return std::nullopt;
  }
  return Operation{this, number_of(node)};
}

std::vector<Operation> Model::operations() const {
  std::vector<Operation> operations;
  for (Node const node : impl_->graph->nodes()) {
    if (!impl_->graph->is_hidden(node)) {
      operations.push_back({this, number_of(node)});
    }
  }
  return operations;
}

std::string Model::operation_name(std::uintptr_t node) const { return impl_->graph->name(node_of(node)); }

std::string Model::operation_type(std::uintptr_t node) const {
  return std::string(impl_->graph->type(node_of(node)));
}

std::int32_t Model::num_outputs(std::uintptr_t node) const {
  return impl_->graph->num_outputs(node_of(node));
}

TensorSpec Model::spec(const Output& output) const {
  const NodeOutput inside{node_of(output.node), output.index};
  return {impl_->graph->dtype(inside), impl_->graph->shape(inside)};
}

std::vector<VariableInfo> Model::variables() const {
  std::vector<VariableInfo> infos;
  for (const Variable& variable : impl_->variables) {
    infos.push_back(variable.info);
  }
  return infos;
}

// --- collections

std::vector<std::string> Model::collection_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, collection] : impl_->collections) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> Model::collection(std::string_view key) const {
  return names_of_collection(*impl_->graph, impl_->collections, key);
}

std::vector<QueueRunnerInfo> Model::queue_runners() const {
  std::vector<QueueRunnerInfo> runners;
  for (wire::QueueRunnerDefinition& defined : impl_->queue_runners()) {
    QueueRunnerInfo& info = runners.emplace_back();
    info.queue = std::move(defined.queue);
    info.enqueue_ops = std::move(defined.enqueue_ops);
    info.close_op = std::move(defined.close_op);
    info.cancel_op = std::move(defined.cancel_op);
    for (const std::int64_t code : defined.closed_codes) {
      info.queue_closed_codes.push_back(static_cast<Code>(code));
    }
  }
  return runners;
}

void Model::add_to_collection(std::string_view key, std::string_view name) {
  if (key == kQueueRunners) {
    require_open("a queue runner");
    impl_->added_queue_runners.push_back(checked_queue_runner(name));
    return;
  }
  require_open(fmt::format("'{}' in the collection '{}'", name, key));
  static_cast<void>(name.find(':') == std::string_view::npos ? operation(name).node : tensor(name).node);
  impl_->collections[std::string(key)].nodes.emplace_back(name);
  impl_->collections_changed = true;
}

bool Model::has_global_step() const { return impl_->step().kind != StepSource::Kind::kNone; }

std::string Model::global_step_name() const { return impl_->step().name; }

// --- adding

Operation Model::add_operation(const NodeSpec& spec) {
  require_open(fmt::format("the operation '{}'", spec.name));
  if (impl_->graph->find(spec.name) != nullptr) {
    throw Error(Code::kAlreadyExists,
                fmt::format("the graph has an operation '{}' already; choose another name", spec.name));
  }
  NewNode node{.type = spec.type, .name = spec.name, .attrs = spec.attrs, .device = spec.device};
  for (const NodeSpec::Input& input : spec.inputs) {
    NewNode::Input& to = node.inputs.emplace_back();
    to.is_list = input.is_list;
    for (const Output& output : input.outputs) {
      to.outputs.push_back({node_of(output.node), output.index});
    }
  }
  for (const Operation& control : spec.control_inputs) {
    node.control_inputs.push_back(node_of(control.node));
  }
  return {this, number_of(impl_->graph->add(node, Visibility::kShown))};
}

void Model::add_global_step() {
  require_open("a global step");
  StepVariable added = add_step_variable(*impl_->graph, "global_step");
  // A graph that listed no variables would list this one only.
  if (impl_->variables_are_listed || impl_->variables.empty()) {
    impl_->collections["variables"].messages.push_back(added.definition);
    impl_->variables_are_listed = true;
  }
  impl_->collections[std::string(collections::kGlobalStep)].messages.push_back(added.definition);
  impl_->collections_changed = true;
  impl_->variables.push_back(std::move(added.variable));
}

Operation Model::default_init_op() {
  return {this, number_of(ModelPieces(*impl_, [this](auto what) { require_open(what); }).init_op())};
}

Output Model::default_ready_op() {
  const NodeOutput ready = ModelPieces(*impl_, [this](auto what) { require_open(what); }).ready_op();
  return {this, number_of(ready.node), ready.index};
}

Output Model::default_ready_for_local_init_op() {
  const NodeOutput ready =
      ModelPieces(*impl_, [this](auto what) { require_open(what); }).ready_for_local_init_op();
  return {this, number_of(ready.node), ready.index};
}

Operation Model::default_local_init_op() {
  return {this, number_of(ModelPieces(*impl_, [this](auto what) { require_open(what); }).local_init_op())};
}

std::optional<Output> Model::default_summary_op() {
  const std::optional<NodeOutput> summary =
      ModelPieces(*impl_, [this](auto what) { require_open(what); }).summary_op();
  return summary ? std::optional(Output{this, number_of(summary->node), summary->index}) : std::nullopt;
}

std::optional<SaverDef> Model::default_saver() {
  return ModelPieces(*impl_, [this](auto what) { require_open(what); }).saver();
}

SaverDef Model::add_saver(const std::map<std::string, std::string>& names) {
  require_open("a saver");
  require_saver_names(names);
  return tensorflow::add_saver(*impl_->graph, impl_->variables, names);
}

// --- definitions

std::string Model::graph_def() const {
  return impl_->graph->grew() ? impl_->graph->graph_def() : std::string(impl_->meta.graph_def);
}

std::string Model::meta_graph_def() const {
  if (!impl_->graph->grew() && !impl_->collections_changed && impl_->added_queue_runners.empty()) {
    return impl_->bytes;
  }
  std::optional<wire::SaverDefinition> saver;
  if (impl_->saver) {
    saver = to_definition(*impl_->saver);
  }
  auto collections = impl_->collections;
  for (const std::string& runner : impl_->added_queue_runners) {
    collections[std::string(kQueueRunners)].messages.push_back(runner);
  }
  return wire::replace_in_meta_graph(impl_->bytes, graph_def(), collections, saver);
}

}  // namespace fermata::tensorflow
