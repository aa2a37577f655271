// What a native graph is made of, for the sources of this engine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/native/initialized.h"
#include "engines/native/variable.h"
#include "fermata/clock.h"
#include "fermata/graph.h"
#include "fermata/native.h"
#include "fermata/session.h"

namespace fermata::native {

// Its number is its place in Graph::Impl::nodes, and the identity in Output and Operation.
struct Node {
  std::string name;
  std::string_view type;
  std::vector<Output> inputs;
  std::vector<std::size_t> after;
  std::vector<std::string> output_names;
  std::vector<TensorSpec> outputs;

  // Absent: nothing is called (variables, placeholders, constants, groups).
  Callable body;
  // A constant, or what a placeholder stands for if it is not fed.
  Tensor constant;
  bool is_placeholder = false;
  Variable* variable = nullptr;
  // Present: a step.
  std::optional<Step> increment;
  std::vector<Variable*> initializes;
};

// The state of a session that its plans share with it, so that a plan always finds it.
struct SessionState {
  std::shared_ptr<Graph::Impl> graph;
  std::shared_ptr<Initialized> initialized;
  Session* session = nullptr;
  std::atomic<bool> closed{false};

  // Throws: Error kCancelled (engine) once closed.
  void require_open() const {
    if (closed.load(std::memory_order_acquire)) {
      fail_closed();
    }
  }
  [[noreturn]] static void fail_closed();
};

// One call of a node's body.
struct CallFrame {
  const Node* node;
  // One for each output of the node, null where nobody wants it.
  Slot* const* outputs;
  Inputs inputs;
  SessionState* state;
};

// For the engine's own bodies.
struct StepOutputsAccess {
  [[nodiscard]] static StepOutputs make(const CallFrame& frame) noexcept {
    return {frame, frame.node->output_names};
  }
  [[nodiscard]] static const CallFrame& frame(const StepOutputs& out) noexcept { return *out.frame_; }
  static void put_text(StepOutputs& out, std::string_view text) { out.put_text(0, text); }
  static void put_tensor(StepOutputs& out, const Tensor& value) { out.put_tensor(0, value); }
};

struct Graph::Impl {
  std::deque<Node> nodes;  // a deque, since names and bodies are referred to
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::vector<std::unique_ptr<Variable>> variables;
  StepVariable* step = nullptr;
  std::string step_name;  // of one that is added
  std::map<std::string, std::vector<std::string>, std::less<>> collections;
  std::vector<std::size_t> summaries;
  std::vector<std::function<void(Session&)>> close_functions;
  std::shared_ptr<Clock> clock;

  // The default pieces, once they were asked for.
  std::optional<std::size_t> init, local_init, ready, ready_for_local_init, merged_summary;

  std::mutex targets_mutex;
  std::map<std::string, std::shared_ptr<Initialized>, std::less<>> targets;

  // Throws: Error kAlreadyExists, kInvalidArgument.
  std::size_t add(const Graph& graph, Node node);
  std::size_t add_variable(const Graph& graph, std::unique_ptr<Variable> variable);
  // `name`, or `name`_1, `name`_2 … if it is taken.
  [[nodiscard]] std::string free_name(std::string_view name) const;
  void add_to_collection(std::string_view key, std::string_view name);

  // Throws: Error kInvalidArgument for a handle that is none of this graph.
  [[nodiscard]] const Node& node(std::uintptr_t id) const;
  void require_own(const Graph& graph, const Output& output) const;
  void require_own(const Graph& graph, const Operation& operation) const;

  // The variables behind these outputs. Throws: Error kInvalidArgument for what is none.
  [[nodiscard]] std::vector<Variable*> variables_of(const Graph& graph,
                                                    std::span<const Output> outputs) const;
  // Those of the graph, in the order they were added.
  [[nodiscard]] std::vector<Variable*> all_variables() const;
  [[nodiscard]] std::vector<Variable*> variables_where(bool local) const;

  // Where the step is read; nothing without one. Throws: Misuse for several, or one that is not an integer
  // scalar.
  [[nodiscard]] std::optional<std::size_t> find_step() const;
  // The step as it is now. `id` comes from find_step.
  [[nodiscard]] Step step_value(std::size_t id) const;
};

}  // namespace fermata::native
