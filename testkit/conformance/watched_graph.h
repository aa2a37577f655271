// A graph that hands out sessions which write down what is done with them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/world.h"
#include "fermata/graph.h"
#include "fermata/session.h"

namespace fermata::conformance {

// The graph of a scenario, as an engine made it.
struct EngineGraph {
  // Owns what the graph works on.
  std::shared_ptr<void> keep;
  Graph* graph = nullptr;
  // The tensor that the hooks of the reference read the step from; empty without one.
  std::string step_read;
  // Tensors that show the step and `w` without a trace; empty where there is none.
  std::string unseen_step;
  std::string unseen_w;
  // Sets the step without a trace.
  std::function<void(Session& session, Step step)> set_step;
  // Names of the summaries, in their order; empty: those of the collection `summaries`.
  std::vector<std::string> summaries;
  // Queues that the engine's own graph does not know as such.
  std::vector<QueueRunnerInfo> queues;
};

// Everything is the inner graph's; handles point at this one, as users must see one graph.
class WatchedGraph : public Graph {
 public:
  WatchedGraph(EngineGraph engine, World& world);
  ~WatchedGraph() override;

  [[nodiscard]] World& world() const noexcept { return world_; }
  [[nodiscard]] const EngineGraph& engine_graph() const noexcept { return engine_; }
  [[nodiscard]] PlanRequest inner(const PlanRequest& request) const;

  // Throws: Misuse if this graph is finalized.
  void require_still_open() {
    require_open("an operation");
    follow();
  }
  // A fetch as scenarios name it: a tensor of the table, "op:1", "name:x:0" for the string "x:0".
  [[nodiscard]] Fetch fetch(const std::string& name) const;
  // Adds a feed as scenarios name it.
  void feed(SessionRunArgs& args, const std::string& name, const Json& value) const;
  [[nodiscard]] std::pair<std::string, Tensor> named_feed(const std::string& name, const Json& value) const;

  [[nodiscard]] std::string_view engine() const noexcept override;
  [[nodiscard]] std::optional<Operation> find_operation(std::string_view name) const override;
  [[nodiscard]] std::vector<Operation> operations() const override;
  [[nodiscard]] std::string operation_name(std::uintptr_t node) const override;
  [[nodiscard]] std::string operation_type(std::uintptr_t node) const override;
  [[nodiscard]] std::int32_t num_outputs(std::uintptr_t node) const override;
  [[nodiscard]] std::optional<std::int32_t> output_index(std::uintptr_t node,
                                                         std::string_view name) const override;
  [[nodiscard]] TensorSpec spec(const Output& output) const override;
  [[nodiscard]] std::vector<VariableInfo> variables() const override;
  [[nodiscard]] std::vector<std::string> collection_keys() const override;
  [[nodiscard]] std::vector<std::string> collection(std::string_view key) const override;
  void add_to_collection(std::string_view key, std::string_view name) override;
  [[nodiscard]] std::vector<QueueRunnerInfo> queue_runners() const override;
  [[nodiscard]] bool has_global_step() const override;
  [[nodiscard]] std::string global_step_name() const override;
  Operation add_operation(const NodeSpec& node) override;
  void add_global_step() override;
  [[nodiscard]] SaverDef add_saver(const std::map<std::string, std::string>& names) override;
  [[nodiscard]] Operation default_init_op() override;
  [[nodiscard]] Output default_ready_op() override;
  [[nodiscard]] Output default_ready_for_local_init_op() override;
  [[nodiscard]] Operation default_local_init_op() override;
  [[nodiscard]] std::optional<Output> default_summary_op() override;
  [[nodiscard]] std::optional<SaverDef> default_saver() override;
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig& config) override;
  [[nodiscard]] std::string graph_def() const override;
  [[nodiscard]] std::string meta_graph_def() const override;

 private:
  [[nodiscard]] Output ours(const Output& output) const { return {this, output.node, output.index}; }
  [[nodiscard]] Operation ours(const Operation& operation) const { return {this, operation.node}; }
  [[nodiscard]] Output inner(const Output& output) const {
    return {engine_.graph, output.node, output.index};
  }
  [[nodiscard]] Operation inner(const Operation& operation) const { return {engine_.graph, operation.node}; }
  // The inner graph is as open as this one.
  void follow();

  EngineGraph engine_;
  World& world_;
};

}  // namespace fermata::conformance
