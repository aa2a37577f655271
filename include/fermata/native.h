// Any step of your own as an engine: named C++ callables and the variables they change.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"
#include "fermata/tensor.h"

namespace fermata::native {

// Memory of the caller that a variable stands for. Row-major, must outlive the graph.
struct View {
  DType dtype = DType::kInvalid;
  Shape shape;
  void* data = nullptr;
};

template <typename T>
[[nodiscard]] View view(std::span<T> values, Shape shape) {
  return {dtype_of<T>(), std::move(shape), values.data()};
}
template <typename T>
[[nodiscard]] View view(std::vector<T>& values, Shape shape) {
  return view(std::span<T>(values), std::move(shape));
}
template <typename T>
[[nodiscard]] View view(T& scalar) {
  return {dtype_of<T>(), {}, &scalar};
}

// For state that is not plain memory: `save` gives its value, `load` takes one back. `init` is called when a
// session is initialised without a checkpoint; absent: the state stays as it is.
struct Accessors {
  DType dtype = DType::kInvalid;
  std::optional<Shape> shape;  // absent: may change
  std::function<Tensor()> save;
  std::function<void(const TensorView&)> load;
  std::function<void()> init;
};

// The values a computed value is made from.
class FERMATA_API Inputs {
 public:
  explicit Inputs(std::span<const TensorView* const> values) noexcept : values_(values) {}
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] const TensorView& operator[](std::size_t index) const;
  template <typename T>
  [[nodiscard]] T scalar(std::size_t index) const {
    return (*this)[index].template scalar<T>();
  }

 private:
  std::span<const TensorView* const> values_;
};

// What a step or an operation gives out and takes in. Belongs to one run.
class FERMATA_API StepOutputs {
 public:
  // Sets an output by name. Plain scalars cost no allocation. Throws: Error kInvalidArgument for a name that
  // was not declared.
  template <typename T>
  void set(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, Tensor>) {
      set_tensor(name, value);
    } else {
      set_scalar(name, dtype_of<T>(), &value, sizeof(T));
    }
  }
  // Values of the inputs that were declared.
  [[nodiscard]] Inputs inputs() const noexcept { return inputs_; }
  // The session this run belongs to.
  [[nodiscard]] Session& session() const noexcept { return *session_; }

 private:
  friend struct StepOutputsAccess;
  void set_tensor(std::string_view name, const Tensor& value);
  void set_scalar(std::string_view name, DType dtype, const void* value, std::size_t size);
  void* slots_ = nullptr;
  Session* session_ = nullptr;
  Inputs inputs_{{}};
};

struct StepOptions {
  std::vector<std::string> outputs;
  std::vector<Output> inputs;
  // How much the global step grows when the callable returns.
  Step increment = 1;
};

struct OperationOptions {
  std::vector<std::string> outputs;
  std::vector<Output> inputs;
  // Operations that run before this one in the same run.
  std::vector<Operation> after;
};

// The order of one run: fed values, then values and operations that steps need or that were fetched (in the
// order they were added), reads of variables, then steps in the order they were added. So a variable fetched
// together with a step has its value before the step. The global step grows once the step's callable
// returned; it is an int64 variable of the name "global_step", saved as the others. A callable that throws
// ends the run; the step does not grow. Error kOutOfRange and StopIteration mean end of input. Threads:
// building is for one thread; runs may come from several threads, and callables must stand that.
class FERMATA_API Graph : public fermata::Graph {
 public:
  struct Options {
    // Without a step no hook that needs one can be used.
    bool global_step = true;
    std::string global_step_name = "global_step";
  };

  Graph();
  explicit Graph(Options options);
  ~Graph() override;

  // --- building; all throw Misuse once finalized and Error kAlreadyExists for a name that is taken
  // ------------------ A variable over memory of the caller; saved and restored, initialised to the values it
  // has at this call.
  Output variable(std::string name, View view);
  Output variable(std::string name, Accessors accessors);
  // Not saved; set by local init to the values it has at this call.
  Output local_variable(std::string name, View view);

  template <typename T>
  Output placeholder(std::string name, std::optional<Shape> shape = Shape{}) {
    return add_placeholder(std::move(name), dtype_of<T>(), std::move(shape));
  }
  Output placeholder_with_default(std::string name, Tensor value);
  Output constant(std::string name, Tensor value);

  // A value computed from others when it is needed; T is a scalar type or Tensor.
  template <typename Function>
  Output value(std::string name, std::vector<Output> inputs, Function function) {
    using Result = std::invoke_result_t<Function, Inputs>;
    if constexpr (std::is_same_v<Result, Tensor>) {
      return add_value(std::move(name), std::move(inputs), DType::kInvalid, std::nullopt,
                       [function = std::move(function)](Inputs in, void* out) mutable {
                         *static_cast<Tensor*>(out) = function(in);
                       });
    } else {
      return add_value(std::move(name), std::move(inputs), dtype_of<Result>(), Shape{},
                       [function = std::move(function)](Inputs in, void* out) mutable {
                         *static_cast<Result*>(out) = function(in);
                       });
    }
  }

  // The training step: one call of `function` is one step.
  Operation step(std::string name, StepOptions options, std::function<void(StepOutputs&)> function);
  // Any other effect; it does not count.
  Operation operation(std::string name, OperationOptions options, std::function<void(StepOutputs&)> function);
  using fermata::Graph::operation;
  // Several operations as one, run in this order.
  Operation group(std::string name, std::vector<Operation> operations);

  // A scalar that goes into the merged summary under `tag`.
  void scalar_summary(std::string tag, Output value);

  // The step's variable, to be fetched: its value before the steps of the run.
  [[nodiscard]] Output global_step() const;
  // Sets the step from outside of a run (tests, warm starts).
  void set_global_step(Step step);

  // --- fermata::Graph
  // ---------------------------------------------------------------------------------------------
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
  [[nodiscard]] bool has_global_step() const override;
  [[nodiscard]] std::string global_step_name() const override;
  [[nodiscard]] Operation default_init_op() override;
  [[nodiscard]] Output default_ready_op() override;
  [[nodiscard]] Output default_ready_for_local_init_op() override;
  [[nodiscard]] Operation default_local_init_op() override;
  [[nodiscard]] std::optional<Output> default_summary_op() override;
  [[nodiscard]] std::optional<SaverDef> default_saver() override;
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig& config) override;

  struct Impl;

 private:
  Output add_placeholder(std::string name, DType dtype, std::optional<Shape> shape);
  Output add_value(std::string name, std::vector<Output> inputs, DType dtype, std::optional<Shape> shape,
                   std::function<void(Inputs, void*)> compute);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fermata::native
