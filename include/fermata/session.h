// One live instance of a graph: prepares requests once, runs them often, closes. The "raw session" of the
// reference, and the boundary that an engine implements.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/error.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/hook_state.h"
#include "fermata/session_run_args.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata {

// How TensorFlow runs a step. Other engines ignore it.
enum class Executor {
  kAuto,    // the session decides: by rules over the graph, then by measuring the first steps
  kPool,    // TensorFlow's thread pool
  kCaller,  // the thread that calls run (RunOptions.inter_op_thread_pool = −1)
  kSingle,  // TensorFlow's single-threaded executor; not for reference variables and v1 control flow
};

[[nodiscard]] FERMATA_API std::string_view executor_name(Executor executor) noexcept;

// What a plan is made from: handles of one graph.
struct PlanRequest {
  std::vector<Output> fetches;
  std::vector<Operation> targets;
  std::vector<Output> feeds;
  // The step after everything else in this run, in StepOutputs::step.
  bool read_step = false;
  // Some of its runs will ask for a trace: an executor that records nothing will not do.
  bool traced = false;
};

struct SessionConfig {
  // "" in this process; "grpc://host:port" for a TensorFlow server.
  std::string target;
  Executor executor = Executor::kAuto;
  // Threads inside an operation and between operations; 0: the engine's default.
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  // A serialized tensorflow.ConfigProto that the fields above are merged into.
  std::string config_proto;
  // Plans that will be wanted: what they need is added to the graph in one go before the session exists.
  std::vector<PlanRequest> announced;
};

// Execution statistics of one run.
struct RunMetadata {
  std::string serialized;  // tensorflow.RunMetadata; empty if nothing was recorded
};

// Saves and restores by a graph's own operations, or by the engine: see Session::save_variables.
struct SaverDef {
  std::string filename_tensor_name;
  std::string save_tensor_name;
  std::string restore_op_name;
  int max_to_keep = 5;
  bool sharded = false;
  double keep_checkpoint_every_n_hours = 10000.0;
  // Names of the variables it saves, if not all.
  std::vector<std::string> variables;
  // Under which names `variables` are stored, in their order; empty: under their own.
  std::vector<std::string> keys;
};

// Values of a saver's variables as they were at one moment, in memory that no later step changes.
struct VariableCapture {
  struct Entry {
    // As in checkpoints.
    std::string key;
    // "rows columns start,length:start,length" for a part of a partitioned variable, else empty.
    std::string slice;
    Tensor value;
  };
  std::vector<Entry> entries;
  // Why nothing was captured, as the end of a sentence; empty if it was.
  std::string unavailable;
};

// The results of one run of a plan. Made by the plan, used again for each run, so that a step allocates
// nothing. `values` has a view for each fetch of the plan, valid until the next run into this object.
class FERMATA_API StepOutputs {
 public:
  virtual ~StepOutputs();

  std::vector<TensorView> values;
  // The step after the run; only if the plan asked for it.
  std::optional<Step> step;
};

// One prepared request.
// Threads: run may be called from any thread and from several at once, each with outputs of its own.
class FERMATA_API StepPlan {
 public:
  virtual ~StepPlan();

  [[nodiscard]] virtual std::unique_ptr<StepOutputs> make_outputs() const = 0;

  // `feeds` has one value for each feed of the request, in its order. `options` and `metadata` may be null.
  // Throws: Error kInvalidArgument (caller) for a feed of another dtype or shape; Error (engine) for what the
  // run says.
  virtual void run(std::span<const Tensor* const> feeds, const RunOptions* options, StepOutputs& outputs,
                   RunMetadata* metadata) = 0;
};

// State of a run that goes with a checkpoint beside the variables: of hooks by their names, and of the
// engine.
struct RunState {
  std::map<std::string, HookState, std::less<>> hooks;
  HookState engine;
};

// Threads: prepare, run, close and closed may be called from any thread. Closing ends runs under way as far
// as the engine can (TensorFlow: what waits, not what computes) with kCancelled.
class FERMATA_API Session {
 public:
  virtual ~Session();

  [[nodiscard]] virtual Graph& graph() const = 0;

  // Throws: Error kInvalidArgument or kNotFound for what the graph does not have, Misuse once closed.
  [[nodiscard]] virtual std::unique_ptr<StepPlan> prepare(const PlanRequest& request) = 0;

  // The second call does nothing. Throws: Error of the engine.
  virtual void close() = 0;
  [[nodiscard]] virtual bool closed() const noexcept = 0;

  // The step as it is now: a run of its own on TensorFlow. Throws: Misuse if the graph has none.
  [[nodiscard]] virtual Step read_step() = 0;

  // Writes the saver's variables to the tensor bundle `prefix` / reads them from it.
  // Throws: Error; restoring names the variables that the bundle lacks or holds with another dtype or shape.
  virtual void save_variables(const SaverDef& saver, const std::string& prefix) = 0;
  virtual void restore_variables(const SaverDef& saver, const std::string& prefix) = 0;

  // Captures what save_variables would write, so that it can be written while steps go on. Call it between
  // two steps. Nothing is captured, and the answer says why, if the engine cannot, or if the values take
  // more than `most_bytes`. Throws: Error. Default: nothing.
  [[nodiscard]] virtual VariableCapture capture_variables(const SaverDef& saver, std::uint64_t most_bytes);

  // For a warm start: reads those of the saver's variables that the bundle has, and returns the names of the
  // others. Throws: Error; also kUnimplemented where an engine cannot.
  virtual std::vector<std::string> restore_available(const SaverDef& saver, const std::string& prefix);

  // State of the engine that is in no variable (a step that Fermata counts). Default: none.
  virtual void save_state(HookState& state) const;
  virtual void load_state(const HookState& state);

  // Who drives the session says where the hooks' state comes from; a Saver asks for it at each save.
  void set_run_state_source(std::function<std::map<std::string, HookState, std::less<>>()> source);
  [[nodiscard]] RunState run_state() const;

  // True after a run of the loop failed otherwise than by the end of input, until the next one succeeds: the
  // variables may hold half of an update, so no checkpoint is made of them. Set by who drives the session.
  [[nodiscard]] bool in_doubt() const noexcept { return in_doubt_; }
  void set_in_doubt(bool in_doubt) noexcept { in_doubt_ = in_doubt; }

  // The checkpoint its variables were last read from; empty: none. Set by Saver::restore.
  [[nodiscard]] const std::string& restored_from() const noexcept { return restored_from_; }
  void set_restored_from(std::string prefix) { restored_from_ = std::move(prefix); }

  // How steps are run now, for reports. kAuto while it is still being measured.
  [[nodiscard]] virtual Executor executor() const noexcept;

  // A run outside of the loop, for hooks and set-up: results of their own, in the order of the fetches
  // (nothing for an operation). Plans are kept by the identity of `args`, so a request that is kept is cheap
  // from the second time on.
  [[nodiscard]] std::vector<Tensor> run(const SessionRunArgs& args);
  [[nodiscard]] Tensor run(const Fetch& fetch);

 protected:
  Session();

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
  bool in_doubt_ = false;
  std::string restored_from_;
  std::function<std::map<std::string, HookState, std::less<>>()> run_state_source_;
};

// The handles behind a request: names are looked up in `graph`; a name with ":" is a tensor, one without an
// operation. `places[i]` is the index into fetches for fetch i of the request, −1 for an operation.
struct ResolvedArgs {
  PlanRequest request;
  std::vector<std::int32_t> places;
};
[[nodiscard]] FERMATA_API ResolvedArgs resolve(const Graph& graph, const SessionRunArgs& args);

}  // namespace fermata
