// Any step of your own as an engine: named C++ callables and the variables they change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata::native {

struct CallFrame;

// Memory of the caller that a variable stands for: row-major, without gaps. It must outlive the graph.
struct View {
  DType dtype = DType::kInvalid;
  Shape shape;
  void* data = nullptr;
};

// Throws: Error kInvalidArgument if the shape does not have `count` elements.
[[nodiscard]] FERMATA_API View make_view(DType dtype, Shape shape, void* data, std::size_t count);

template <typename T>
[[nodiscard]] View view(std::span<T> values, Shape shape) {
  return make_view(dtype_of<T>(), std::move(shape), values.data(), values.size());
}
template <typename T>
[[nodiscard]] View view(std::vector<T>& values, Shape shape) {
  return view(std::span<T>(values), std::move(shape));
}
// With one dimension.
template <typename T>
[[nodiscard]] View view(std::vector<T>& values) {
  return view(std::span<T>(values), {static_cast<std::int64_t>(values.size())});
}
template <typename T>
[[nodiscard]] View view(T& scalar) {
  return make_view(dtype_of<T>(), {}, &scalar, 1);
}

// For state that is not plain memory of one size: `save` gives its value, `load` takes one back; both must be
// there. They are called by whoever saves, restores, fetches or initialises, so `save` must stand to be
// called while a step runs in another thread, if the program does such things.
struct Accessors {
  // kInvalid: the type of what `save` gives when the variable is added.
  DType dtype = DType::kInvalid;
  // Absent: may change.
  std::optional<Shape> shape;
  std::function<Tensor()> save;
  std::function<void(const TensorView&)> load;
  // Called when a session is initialised without a checkpoint. Absent: `load` with the value that `save` gave
  // when the variable was added.
  std::function<void()> init;
};

// The values a callable is given. Valid until it returns.
class FERMATA_API Inputs {
 public:
  Inputs(std::span<const TensorView* const> values, Session* session) noexcept
      : values_(values), session_(session) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  // Throws: Error kInvalidArgument for an index that is not there.
  [[nodiscard]] const TensorView& operator[](std::size_t index) const;
  template <typename T>
  [[nodiscard]] T scalar(std::size_t index) const {
    return (*this)[index].template scalar<T>();
  }
  // The session of this run; what waits should look at session().closed().
  [[nodiscard]] Session& session() const noexcept { return *session_; }

 private:
  std::span<const TensorView* const> values_;
  Session* session_;
};

// What a step or an operation takes in and gives out. Belongs to one run.
class FERMATA_API StepOutputs {
 public:
  // Sets an output: a number, a bool, a text, a Tensor (kept, not copied) or a TensorView (copied). Numbers
  // cost no allocation, plain views none from the second run on. Throws: Error kInvalidArgument for a name
  // that was not declared.
  template <typename T>
  void set(std::string_view name, const T& value) {
    put(index_of(name), value);
  }
  // Values of the inputs that were declared.
  [[nodiscard]] Inputs inputs() const noexcept;
  // The session of this run; what waits should look at session().closed().
  [[nodiscard]] Session& session() const noexcept;

 private:
  friend class Graph;
  friend struct StepOutputsAccess;
  StepOutputs(const CallFrame& frame, std::span<const std::string> names) noexcept
      : frame_(&frame), names_(names) {}

  template <typename T>
  [[nodiscard]] static constexpr bool is_scalar() {
    return !std::is_same_v<T, Tensor> && !std::is_same_v<T, TensorView> &&
           !std::is_convertible_v<const T&, std::string_view>;
  }
  template <typename T>
  void put(std::size_t index, const T& value) {
    if constexpr (is_scalar<T>() && sizeof(T) <= sizeof(std::uint64_t)) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(T));
      put_bits(index, dtype_of<T>(), bits);
    } else if constexpr (is_scalar<T>()) {
      put_scalar(index, dtype_of<T>(), &value, sizeof(T));
    } else if constexpr (std::is_same_v<T, Tensor>) {
      put_tensor(index, value);
    } else if constexpr (std::is_same_v<T, TensorView>) {
      put_copy(index, value);
    } else {
      put_text(index, value);
    }
  }
  // A search by comparison, since an operation has few outputs. Here, where the compiler knows a name that is
  // written out.
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (std::string_view(names_[i]) == name) {
        return i;
      }
    }
    fail_undeclared(name);
  }
  [[noreturn]] void fail_undeclared(std::string_view name) const;
  // A number whose bytes are the first ones of `bits`, which so needs no memory on its way.
  void put_bits(std::size_t index, DType dtype, std::uint64_t bits);
  void put_scalar(std::size_t index, DType dtype, const void* value, std::size_t size_bytes);
  void put_tensor(std::size_t index, const Tensor& value);
  void put_copy(std::size_t index, const TensorView& value);
  void put_text(std::size_t index, std::string_view text);

  const CallFrame* frame_;
  std::span<const std::string> names_;
};

using Callable = std::function<void(StepOutputs&)>;

struct StepOptions {
  // Names of the outputs. One that is fetched must be set by each call.
  std::vector<std::string> outputs;
  std::vector<Output> inputs;
  // How much the graph's global step grows when the callable returns. Not negative.
  Step increment = 1;
};

struct OperationOptions {
  std::vector<std::string> outputs;
  std::vector<Output> inputs;
  // Operations that run before this one, in the same run.
  std::vector<Operation> after;
  // Variables that count as initialised once the callable returned.
  std::vector<Output> initializes;
};

// A computation made of callables.
//
// One run calls what was fetched and what that needs, each once, in this order: values and operations in the
// order they were added; reads of fetched variables; steps, and what depends on a step's outputs, in the
// order they were added. So a variable fetched together with a step has its value before the step. A variable
// that is an input is read when the callable that takes it begins. What is fed is not computed.
//
// The global step is an int64 variable of the graph. It grows by a step's increment when the step's callable
// returned, in one piece also when several threads run steps. A callable that throws ends the run, the step
// does not grow, and the very exception comes out of run. Error kOutOfRange and StopIteration mean end of
// input.
//
// A session does not own the variables: all sessions of a graph work on the caller's memory. What a session
// has of its own is which variables are initialised: none at first; then those that an init operation or a
// restore has set. A step that runs before all of them are is Error kFailedPrecondition. Sessions with the
// same non-empty SessionConfig::target share this too, as those of one TensorFlow server do.
//
// Of the run options only `timeout` counts: callables cannot be interrupted, so it is looked at before each
// callable but the first. A trace level makes run_metadata list the callables with their times.
//
// Threads: building is for one thread. Runs may come from several threads at once, each callable runs in the
// thread that called run, and callables must stand that. A graph must outlive its sessions, a session the
// runs under way. Closing a session ends a run after the callable under way (kCancelled); what waits inside a
// callable must look at session().closed() or be woken by on_close.
class FERMATA_API Graph : public fermata::Graph {
 public:
  struct Options {
    // false: steps do not count, unless the graph gets a step of another kind: a variable or constant of the
    // name "global_step" or in the collection global_step, an integer scalar, which the callables change.
    bool global_step = true;
    std::string global_step_name = "global_step";
    // Measures timeouts. Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  Graph();
  explicit Graph(Options options);
  ~Graph() override;

  // --- building
  // All throw: Misuse once finalized; Error kAlreadyExists for a name that is taken; Error kInvalidArgument
  // for an empty name, one with ":", a callable that is missing, or an input of another graph.

  // Saved and restored under its name. Initialised to the value it has at this call, of which a copy is kept.
  Output variable(std::string name, View view);
  Output variable(std::string name, Accessors accessors);
  // Not saved; set to the value it has at this call by local init.
  Output local_variable(std::string name, View view);
  Output local_variable(std::string name, Accessors accessors);

  // A value that each run must be fed; −1 in the shape is any size, no shape any shape.
  template <typename T>
  Output placeholder(std::string name, std::optional<Shape> shape = Shape{}) {
    return add_placeholder(std::move(name), dtype_of<T>(), std::move(shape));
  }
  Output placeholder_with_default(std::string name, Tensor value);
  Output constant(std::string name, Tensor value);
  template <typename T>
  requires std::is_arithmetic_v<T> Output constant(std::string name, T value) {
    return constant(std::move(name), Tensor::scalar(value));
  }

  // A value made by `function(Inputs)` when a run needs it: a number, a bool, a std::string or a Tensor.
  template <typename Function>
  Output value(std::string name, std::vector<Output> inputs, Function function) {
    using Result = std::invoke_result_t<Function&, Inputs>;
    return add_value(
        std::move(name), std::move(inputs), spec_of<Result>(),
        [function = std::move(function)](StepOutputs& out) mutable { out.put(0, function(out.inputs())); });
  }

  // The training step: one call of `function` is one step.
  Operation step(std::string name, StepOptions options, Callable function);
  // Any other effect; it does not count.
  Operation operation(std::string name, OperationOptions options, Callable function);
  // The operation of that name. Throws: Error kNotFound.
  using fermata::Graph::operation;
  // Several operations as one. They run in the order they were added.
  Operation group(std::string name, std::vector<Operation> operations);
  // Sets these variables to their initial values, for an init of your own.
  Operation initializer(std::string name, std::vector<Output> variables);

  // A real scalar for TensorBoard under `tag`. It becomes a part of default_summary_op; the output returned
  // is its own serialized Summary.
  Output scalar_summary(std::string tag, Output value);

  // Called once by the first close of each session, in the thread that closes: wakes what waits in a
  // callable.
  void on_close(std::function<void(Session&)> function);

  // The step's variable, to be fetched or taken as an input. Throws: Misuse if there is none.
  [[nodiscard]] Output global_step() const;
  // Sets the graph's own step from outside of a run; an init operation sets it to 0 again. Threads: any.
  // Throws: Misuse if the graph does not count.
  void set_global_step(Step step);

  // --- fermata::Graph
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
  // A name that is there already is not added again.
  void add_to_collection(std::string_view key, std::string_view name) override;
  [[nodiscard]] bool has_global_step() const override;
  [[nodiscard]] std::string global_step_name() const override;
  void add_global_step() override;
  [[nodiscard]] Operation default_init_op() override;
  [[nodiscard]] Output default_ready_op() override;
  [[nodiscard]] Output default_ready_for_local_init_op() override;
  [[nodiscard]] Operation default_local_init_op() override;
  [[nodiscard]] std::optional<Output> default_summary_op() override;
  [[nodiscard]] std::optional<SaverDef> default_saver() override;
  [[nodiscard]] SaverDef add_saver(const std::map<std::string, std::string>& names) override;
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig& config) override;

  struct Impl;

 private:
  template <typename Result>
  [[nodiscard]] static TensorSpec spec_of() {
    if constexpr (std::is_same_v<Result, Tensor>) {
      return {};
    } else if constexpr (std::is_convertible_v<const Result&, std::string_view>) {
      return {DType::kString, Shape{}};
    } else {
      return {dtype_of<Result>(), Shape{}};
    }
  }
  Output add_placeholder(std::string name, DType dtype, std::optional<Shape> shape);
  Output add_value(std::string name, std::vector<Output> inputs, TensorSpec spec, Callable function);

  std::shared_ptr<Impl> impl_;
};

}  // namespace fermata::native
