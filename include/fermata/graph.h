// What a computation offers by name: operations, their outputs, collections. An engine implements it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fermata/error.h"
#include "fermata/export.h"
#include "fermata/tensor.h"

namespace fermata {

class Graph;
class QueueRunner;
class Session;
struct SessionConfig;
struct SaverDef;

// One output of an operation: what can be fetched and fed. A small value, valid as long as its graph.
struct Output {
  const Graph* graph = nullptr;
  std::uintptr_t node = 0;  // the engine's own identity of the operation
  std::int32_t index = 0;

  friend bool operator==(const Output&, const Output&) = default;
  [[nodiscard]] explicit operator bool() const noexcept { return graph != nullptr; }
  // "loss:0".
  [[nodiscard]] FERMATA_API std::string name() const;
};

// One operation: what can be run for its effect. A small value, valid as long as its graph.
struct Operation {
  const Graph* graph = nullptr;
  std::uintptr_t node = 0;

  friend bool operator==(const Operation&, const Operation&) = default;
  [[nodiscard]] explicit operator bool() const noexcept { return graph != nullptr; }
  [[nodiscard]] FERMATA_API std::string name() const;
  // Output by number. Throws: Error kNotFound.
  [[nodiscard]] FERMATA_API Output output(std::int32_t index = 0) const;
  // Output by the name that its maker gave it (native engine). Throws: Error kNotFound.
  [[nodiscard]] FERMATA_API Output output(std::string_view name) const;
};

// dtype and shape as far as the graph knows them before anything runs.
struct TensorSpec {
  DType dtype = DType::kInvalid;
  // Absent: even the rank is unknown. A size of −1 is unknown.
  std::optional<Shape> shape;
};

// A variable of the graph.
struct VariableInfo {
  std::string name;  // without ":0"
  TensorSpec spec;
  bool trainable = true;
  bool local = false;  // not saved, initialised by local init
  // Key in checkpoints; for a part of a partitioned variable the name of the whole.
  std::string checkpoint_key;
  // "rows columns start,length:start,length" for a part of a partitioned variable, else empty.
  std::string slice;
};

// A node to be added to the graph; only engines whose graphs are made of registered operations take one.
struct NodeSpec {
  // An argument of the operation: one output, or a list of outputs.
  struct Input {
    std::vector<Output> outputs;
    bool is_list = false;
  };
  // A serialized tensorflow.AttrValue, under its name.
  using Attrs = std::map<std::string, std::string>;

  std::string type;
  std::string name;
  std::vector<Input> inputs;
  std::vector<Operation> control_inputs;
  Attrs attrs;
  std::string device;
};

// A queue that threads fill while the loop runs (contract QR-1). Operations by name.
struct QueueRunnerInfo {
  std::string queue;
  // One thread runs each.
  std::vector<std::string> enqueue_ops;
  // Run once the last thread has met the end of its input.
  std::string close_op;
  // Run when the threads are to stop, so that those that wait for room wake up.
  std::string cancel_op;
  // Codes of errors that mean the input has ended.
  std::vector<Code> queue_closed_codes;
};

// Collections that Fermata reads and writes, by the reference's names.
namespace collections {
inline constexpr std::string_view kGlobalStep = "global_step";
inline constexpr std::string_view kTrainOp = "train_op";
inline constexpr std::string_view kLosses = "losses";
inline constexpr std::string_view kInitOp = "init_op";
inline constexpr std::string_view kReadyOp = "ready_op";
inline constexpr std::string_view kReadyForLocalInitOp = "ready_for_local_init_op";
inline constexpr std::string_view kLocalInitOp = "local_init_op";
inline constexpr std::string_view kSummaryOp = "summary_op";
inline constexpr std::string_view kSavers = "savers";
inline constexpr std::string_view kSavedModelInitializers = "saved_model_initializers";
}  // namespace collections

// The computation. It is open until finalize(); afterwards its users add nothing (the engine may still add
// reads of the step for itself, which never show here). A graph is not moved: handles point at it. Threads:
// looking things up is safe from any thread once the graph is finalized; before that one thread at a time.
class FERMATA_API Graph {
 public:
  Graph();
  virtual ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // "native", "tensorflow".
  [[nodiscard]] virtual std::string_view engine() const noexcept = 0;

  // --- looking up
  // -------------------------------------------------------------------------------------------------
  [[nodiscard]] virtual std::optional<Operation> find_operation(std::string_view name) const = 0;
  // "op:1", or "op" for output 0.
  [[nodiscard]] std::optional<Output> find_tensor(std::string_view name) const;
  // The same, but throws Error kNotFound that names the nearest names.
  [[nodiscard]] Operation operation(std::string_view name) const;
  [[nodiscard]] Output tensor(std::string_view name) const;

  [[nodiscard]] virtual std::vector<Operation> operations() const = 0;
  [[nodiscard]] virtual std::string operation_name(std::uintptr_t node) const = 0;
  [[nodiscard]] virtual std::string operation_type(std::uintptr_t node) const = 0;
  [[nodiscard]] virtual std::int32_t num_outputs(std::uintptr_t node) const = 0;
  // Nothing if the operation has no output of that name (engines without names of outputs: always).
  [[nodiscard]] virtual std::optional<std::int32_t> output_index(std::uintptr_t node,
                                                                 std::string_view name) const;
  [[nodiscard]] virtual TensorSpec spec(const Output& output) const = 0;
  [[nodiscard]] virtual std::vector<VariableInfo> variables() const = 0;

  // --- collections: names of operations ("train") and tensors ("loss:0")
  // ------------------------------------------
  [[nodiscard]] virtual std::vector<std::string> collection_keys() const = 0;
  [[nodiscard]] virtual std::vector<std::string> collection(std::string_view key) const = 0;
  virtual void add_to_collection(std::string_view key, std::string_view name) = 0;

  // Queues that a session fills by threads of its own, as the graph came. Default: none.
  [[nodiscard]] virtual std::vector<QueueRunnerInfo> queue_runners() const;
  // Use the functions of queue_runner.h: registers a runner; gives all of them, where those that the graph
  // came with are made by `make` once.
  void add_queue_runner(std::shared_ptr<QueueRunner> runner);
  [[nodiscard]] std::vector<std::shared_ptr<QueueRunner>> queue_runner_objects(
      const std::function<std::shared_ptr<QueueRunner>(const QueueRunnerInfo&)>& make);
  [[nodiscard]] bool has_queue_runners() const;

  // --- the step
  // ---------------------------------------------------------------------------------------------------
  // Whether runs of this graph yield a step. Throws: Misuse if the collection holds several, or one that is
  // not an integer scalar (contract GS-1 to GS-4, GS-11 of the reference).
  [[nodiscard]] virtual bool has_global_step() const = 0;
  // The name of the step's variable, "global_step" as a rule; empty without one.
  [[nodiscard]] virtual std::string global_step_name() const = 0;

  // --- open and closed
  // --------------------------------------------------------------------------------------------
  [[nodiscard]] bool finalized() const noexcept { return finalized_; }
  void finalize() noexcept { finalized_ = true; }
  // What the reference does when a monitored session that closed the graph is closed itself.
  void unfinalize() noexcept { finalized_ = false; }

  // --- adding
  // -----------------------------------------------------------------------------------------------------
  // Throws: Misuse once finalized; Error kUnimplemented where graphs are not made of registered operations.
  virtual Operation add_operation(const NodeSpec& node);

  // Pieces that a Scaffold asks for where neither the user nor a collection has one. The first call may add
  // to the graph, later ones return the same. Throws: Misuse once finalized if something would have to be
  // added.
  [[nodiscard]] virtual Operation default_init_op() = 0;
  // A 1-D string tensor with the names of what is not initialised; empty means ready.
  [[nodiscard]] virtual Output default_ready_op() = 0;
  [[nodiscard]] virtual Output default_ready_for_local_init_op() = 0;
  [[nodiscard]] virtual Operation default_local_init_op() = 0;
  // Serialized Summary; nothing if the graph has no summaries.
  [[nodiscard]] virtual std::optional<Output> default_summary_op() = 0;
  // The saver that came with the graph, else one that saves all its variables; nothing if there are none.
  [[nodiscard]] virtual std::optional<SaverDef> default_saver() = 0;

  // --- sessions
  // --------------------------------------------------------------------------------------------------- Opens
  // a session. Threads: one at a time. Throws: Error.
  [[nodiscard]] virtual std::unique_ptr<Session> create_session(const SessionConfig& config) = 0;

  // Serialized definitions for `.meta` and event files; empty for engines that have none.
  [[nodiscard]] virtual std::string graph_def() const;
  [[nodiscard]] virtual std::string meta_graph_def() const;

 protected:
  // Throws Misuse if the graph is finalized; `what` says what would have been added.
  void require_open(std::string_view what) const;

 private:
  bool finalized_ = false;
  bool queue_runners_made_ = false;
  std::vector<std::shared_ptr<QueueRunner>> queue_runners_;
};

}  // namespace fermata
