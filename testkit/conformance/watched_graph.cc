#include "conformance/watched_graph.h"

#include <algorithm>
#include <utility>

#include "conformance/errors.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

bool is_operation(const std::string& name) {
  return name == "train" || starts_with(name, "custom/init") || starts_with(name, "custom/local");
}

}  // namespace

WatchedGraph::WatchedGraph(EngineGraph engine, World& world) : engine_(std::move(engine)), world_(world) {}
WatchedGraph::~WatchedGraph() = default;

void WatchedGraph::follow() {
  if (finalized()) {
    engine_.graph->finalize();
  } else {
    engine_.graph->unfinalize();
  }
}

PlanRequest WatchedGraph::inner(const PlanRequest& request) const {
  PlanRequest theirs;
  theirs.read_step = request.read_step;
  for (const Output& output : request.fetches) {
    theirs.fetches.push_back(inner(output));
  }
  for (const Operation& operation : request.targets) {
    theirs.targets.push_back(inner(operation));
  }
  for (const Output& output : request.feeds) {
    theirs.feeds.push_back(inner(output));
  }
  return theirs;
}

Fetch WatchedGraph::fetch(const std::string& name) const {
  if (starts_with(name, "name:")) {
    return name.substr(5);
  }
  if (name == "global_step" && !engine_.step_read.empty()) {
    return tensor(engine_.step_read);
  }
  if (name == "w" && !engine_.unseen_w.empty()) {
    return tensor(engine_.unseen_w);
  }
  if (is_operation(name)) {
    return operation(name);
  }
  return tensor(name);
}

void WatchedGraph::feed(SessionRunArgs& args, const std::string& name, const Json& value) const {
  const Fetch what = fetch(name);
  const std::optional<Output> known = find_tensor(what.name());
  const Tensor tensor = tensor_of(value, known ? spec(*known).dtype : DType::kFloat);
  if (const auto* output = std::get_if<Output>(&what.what())) {
    args.feed(*output, tensor);
  } else {
    args.feed(what.name(), tensor);
  }
}

std::pair<std::string, Tensor> WatchedGraph::named_feed(const std::string& name, const Json& value) const {
  const Fetch what = fetch(name);
  const std::optional<Output> known = find_tensor(what.name());
  return {what.name(), tensor_of(value, known ? spec(*known).dtype : DType::kFloat)};
}

std::string_view WatchedGraph::engine() const noexcept { return engine_.graph->engine(); }

std::optional<Operation> WatchedGraph::find_operation(std::string_view name) const {
  const std::optional<Operation> found = engine_.graph->find_operation(name);
  return found ? std::optional(ours(*found)) : std::nullopt;
}

std::vector<Operation> WatchedGraph::operations() const {
  std::vector<Operation> all = engine_.graph->operations();
  std::transform(all.begin(), all.end(), all.begin(), [this](const Operation& each) { return ours(each); });
  return all;
}

std::string WatchedGraph::operation_name(std::uintptr_t node) const {
  return engine_.graph->operation_name(node);
}
std::string WatchedGraph::operation_type(std::uintptr_t node) const {
  return engine_.graph->operation_type(node);
}
std::int32_t WatchedGraph::num_outputs(std::uintptr_t node) const { return engine_.graph->num_outputs(node); }
std::optional<std::int32_t> WatchedGraph::output_index(std::uintptr_t node, std::string_view name) const {
  return engine_.graph->output_index(node, name);
}
TensorSpec WatchedGraph::spec(const Output& output) const { return engine_.graph->spec(inner(output)); }
std::vector<VariableInfo> WatchedGraph::variables() const { return engine_.graph->variables(); }
std::vector<std::string> WatchedGraph::collection_keys() const { return engine_.graph->collection_keys(); }
std::vector<std::string> WatchedGraph::collection(std::string_view key) const {
  return engine_.graph->collection(key);
}

void WatchedGraph::add_to_collection(std::string_view key, std::string_view name) {
  follow();
  require_open(name);
  engine_.graph->add_to_collection(key, name);
}

std::vector<QueueRunnerInfo> WatchedGraph::queue_runners() const {
  return engine_.queues.empty() ? engine_.graph->queue_runners() : engine_.queues;
}

bool WatchedGraph::has_global_step() const { return engine_.graph->has_global_step(); }
std::string WatchedGraph::global_step_name() const { return engine_.graph->global_step_name(); }

Operation WatchedGraph::add_operation(const NodeSpec& node) {
  follow();
  NodeSpec theirs = node;
  for (NodeSpec::Input& input : theirs.inputs) {
    std::transform(input.outputs.begin(), input.outputs.end(), input.outputs.begin(),
                   [this](const Output& each) { return inner(each); });
  }
  std::transform(theirs.control_inputs.begin(), theirs.control_inputs.end(), theirs.control_inputs.begin(),
                 [this](const Operation& each) { return inner(each); });
  return ours(engine_.graph->add_operation(theirs));
}

void WatchedGraph::add_global_step() {
  require_open("a global step");
  follow();
  engine_.graph->add_global_step();
}

SaverDef WatchedGraph::add_saver(const std::map<std::string, std::string>& names) {
  require_open("a saver");
  follow();
  return engine_.graph->add_saver(names);
}

Operation WatchedGraph::default_init_op() {
  follow();
  return ours(engine_.graph->default_init_op());
}
Output WatchedGraph::default_ready_op() {
  follow();
  return ours(engine_.graph->default_ready_op());
}
Output WatchedGraph::default_ready_for_local_init_op() {
  follow();
  return ours(engine_.graph->default_ready_for_local_init_op());
}
Operation WatchedGraph::default_local_init_op() {
  follow();
  return ours(engine_.graph->default_local_init_op());
}
std::optional<Output> WatchedGraph::default_summary_op() {
  follow();
  const std::optional<Output> made = engine_.graph->default_summary_op();
  return made ? std::optional(ours(*made)) : std::nullopt;
}
std::optional<SaverDef> WatchedGraph::default_saver() {
  follow();
  return engine_.graph->default_saver();
}

std::unique_ptr<Session> WatchedGraph::create_session(const SessionConfig& config) {
  follow();
  SessionConfig theirs = config;
  for (PlanRequest& plan : theirs.announced) {
    plan = inner(plan);
  }
  if (world_.wants_run_traces()) {
    theirs.executor = Executor::kPool;
  }
  const auto open = [&] { return std::shared_ptr<Session>(engine_.graph->create_session(theirs)); };
  // One session stands for TensorFlow's server, whose variables outlive the sessions of its clients.
  if (theirs.target.empty() || engine() != "tensorflow") {
    return std::make_unique<WatchedSession>(*this, open);
  }
  theirs.target.clear();
  return std::make_unique<WatchedSession>(
      *this,
      [&] {
        world_.server = world_.server ? world_.server : open();
        return world_.server;
      },
      true);
}

std::string WatchedGraph::graph_def() const { return engine_.graph->graph_def(); }
std::string WatchedGraph::meta_graph_def() const { return engine_.graph->meta_graph_def(); }

}  // namespace fermata::conformance
