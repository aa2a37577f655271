#include "engines/tensorflow_graph/graph_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checkpoint/bundle_reader.h"
#include "core/log_made.h"
#include "engines/tensorflow_graph/capture.h"
#include "engines/tensorflow_graph/checkpoint_fit.h"
#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/object_entries.h"
#include "engines/tensorflow_graph/partial_restore.h"
#include "engines/tensorflow_graph/plan_layout.h"
#include "engines/tensorflow_graph/save_plan.h"
#include "fermata/error.h"
#include "wire/session_protos.h"

namespace fermata::tensorflow {
namespace {

constexpr const char* kCountedSteps = "counted_steps";

std::string config_for(const SessionConfig& config, Executor executor) {
  wire::ConfigFields fields;
  fields.intra_op_threads = config.intra_op_threads;
  fields.inter_op_threads = config.inter_op_threads;
  if (executor == Executor::kSingle) {
    fields.executor_type = "SINGLE_THREADED_EXECUTOR";
  }
  return wire::merge_config(config.config_proto, fields);
}

NodeOutput saver_output(const EngineGraph& graph, const std::string& name) {
  if (const std::optional<NodeOutput> output = graph.find_output(name)) {
    return *output;
  }
  throw Error(
      Code::kNotFound,
      fmt::format("the graph's saver names the tensor '{}', which the graph does not have; export the graph "
                  "together with its saver",
                  name));
}

Node saver_operation(const EngineGraph& graph, const std::string& name) {
  if (Node const node = graph.find(name)) {
    return node;
  }
  throw Error(
      Code::kNotFound,
      fmt::format("the graph's saver names the operation '{}', which the graph does not have; export the "
                  "graph together with its saver",
                  name));
}

// The reads that announced plans need, in one batch: later each would have to be taken over by the session.
void add_announced_reads(const Model::Impl& model, const std::vector<PlanRequest>& announced) {
  for (const PlanRequest& request : announced) {
    static_cast<void>(lay_out(model, request));
  }
  try {
    if (const StepSource step = model.step(); step.is_variable()) {
      static_cast<void>(model.reads->read(step));
    }
  } catch (const Misuse&) {
    // A session may be used without its step; who asks for it is told.
  }
}

}  // namespace

// A saver's operations in this session.
struct GraphSession::SaverRuns {
  NodeOutput filename;
  NodeOutput save;
  Node restore = nullptr;
  std::vector<RestoredEntry> entries;
  // Made when it is first needed.
  std::unique_ptr<Capture> capture;
};

GraphSession::GraphSession(const Model::Impl& model, const SessionConfig& config) : model_(model) {
  const Executor executor = executor_for(model, config);
  add_announced_reads(model, config.announced);
  core_ = std::make_shared<SessionCore>(model.graph, config.target, config_for(config, executor), executor);
}

GraphSession::~GraphSession() {
  try {
    core_->close();
  } catch (...) {
    log_made(LogLevel::kWarning, [] { return "closing a session: " + describe(std::current_exception()); });
  }
  core_->wait_for_runs();
}

Graph& GraphSession::graph() const { return *model_.model; }

void GraphSession::require_open(std::string_view what) const {
  if (core_->closed()) {
    throw Misuse(fmt::format("{} cannot be done: the session is closed; open another one", what));
  }
}

std::unique_ptr<StepPlan> GraphSession::prepare(const PlanRequest& request) {
  require_open("preparing a run");
  return std::make_unique<GraphPlan>(core_, lay_out(model_, request));
}

void GraphSession::close() { core_->close(); }

bool GraphSession::closed() const noexcept { return core_->closed(); }

Executor GraphSession::executor() const noexcept { return core_->executor().chosen(); }

Step GraphSession::read_step() {
  {
    const std::lock_guard lock(step_mutex_);
    if (!step_plan_) {
      step_plan_ = prepare(PlanRequest{.read_step = true});
    }
  }
  const std::unique_ptr<StepOutputs> outputs = step_plan_->make_outputs();
  step_plan_->run({}, nullptr, *outputs, nullptr);
  return outputs->step.value();
}

void GraphSession::save_state(HookState& state) const {
  if (model_.options.count_steps) {
    state.set(kCountedSteps, core_->counted_steps.load());
  }
}

void GraphSession::load_state(const HookState& state) {
  if (model_.options.count_steps) {
    core_->counted_steps.store(state.integer(kCountedSteps).value_or(0));
  }
}

GraphSession::SaverRuns& GraphSession::runs_of(const SaverDef& saver) {
  std::unique_ptr<SaverRuns>& runs = saver_runs_[saver.filename_tensor_name + " " + saver.restore_op_name];
  if (!runs) {
    const EngineGraph& graph = *model_.graph;
    auto made = std::make_unique<SaverRuns>();
    made->filename = saver_output(graph, saver.filename_tensor_name);
    made->save = saver_output(graph, saver.save_tensor_name);
    made->restore = saver_operation(graph, saver.restore_op_name);
    made->entries = find_restored_entries(GraphIndex(graph), model_.functions, made->restore);
    runs = std::move(made);
  }
  return *runs;
}

void GraphSession::run_once(const EngineRequest& request, const std::vector<FedTensor>& feeds) {
  const SessionCore::Run under_way(*core_);
  std::vector<void*> handles;
  for (const FedTensor& feed : feeds) {
    handles.push_back(feed.handle());
  }
  EnginePlan plan(core_, request);
  plan.run(handles, *plan.make_outputs());
}

void GraphSession::save_variables(const SaverDef& saver, const std::string& prefix) {
  require_open("saving");
  const std::lock_guard lock(saver_mutex_);
  const SaverRuns& runs = runs_of(saver);
  std::vector<FedTensor> feeds;
  feeds.emplace_back(core_->api(), Tensor::string_scalar(prefix));
  run_once({.fetches = {runs.save}, .feeds = {runs.filename}}, feeds);
}

VariableCapture GraphSession::capture_variables(const SaverDef& saver, std::uint64_t most_bytes) {
  require_open("saving");
  const std::lock_guard lock(saver_mutex_);
  SaverRuns& runs = runs_of(saver);
  const SessionCore::Run under_way(*core_);
  if (!runs.capture) {
    runs.capture =
        std::make_unique<Capture>(core_, find_saved_entries(*model_.graph, model_.functions, runs.save.node));
  }
  return runs.capture->run(most_bytes);
}

void GraphSession::restore_variables(const SaverDef& saver, const std::string& prefix) {
  require_open("restoring");
  const std::lock_guard lock(saver_mutex_);
  const SaverRuns& runs = runs_of(saver);
  const BundleReader checkpoint = BundleReader::open(prefix);
  if (const auto entries = entries_of_objects(runs.entries, checkpoint)) {
    require_fit(*model_.graph, *entries, checkpoint);
    run_once({.targets = {add_partial_restore(*model_.graph, *entries, checkpoint).operation}}, {});
    return;
  }
  require_fit(*model_.graph, runs.entries, checkpoint);
  std::vector<FedTensor> feeds;
  feeds.emplace_back(core_->api(), Tensor::string_scalar(prefix));
  run_once({.targets = {runs.restore}, .feeds = {runs.filename}}, feeds);
}

std::vector<std::string> GraphSession::restore_available(const SaverDef& saver, const std::string& prefix) {
  require_open("restoring");
  const std::lock_guard lock(saver_mutex_);
  const SaverRuns& runs = runs_of(saver);
  const BundleReader checkpoint = BundleReader::open(prefix);
  const std::vector<RestoredEntry> entries =
      entries_of_objects(runs.entries, checkpoint).value_or(runs.entries);
  require_types_fit(*model_.graph, entries, checkpoint);
  const PartialRestore restore = add_partial_restore(*model_.graph, entries, checkpoint);
  if (restore.operation != nullptr) {
    run_once({.targets = {restore.operation}}, {});
  }
  return restore.missing;
}

}  // namespace fermata::tensorflow
