// The variables of a native graph: memory of the caller, accessors of the caller, or the graph's own step.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engines/native/slot.h"
#include "fermata/graph.h"
#include "fermata/native.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata::native {

class Variable {
 public:
  Variable(std::string name, TensorSpec spec) : name_(std::move(name)), spec_(std::move(spec)) {}
  virtual ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const TensorSpec& spec() const noexcept { return spec_; }

  // Place among the graph's variables; sessions keep their marks by it.
  std::size_t index = 0;
  bool local = false;
  bool trainable = true;

  // Puts a copy of the value into `slot`.
  virtual void read(Slot& slot) const = 0;
  // The memory itself, for callables that look at the value while they run; nothing if there is none.
  [[nodiscard]] virtual std::optional<TensorView> in_place() const;
  // Takes over a value of the right dtype and shape.
  virtual void load(const TensorView& value) = 0;
  // Where the bytes of such a value may be put instead; null if it has to be loaded.
  [[nodiscard]] virtual void* memory() noexcept;
  // Back to the initial value.
  virtual void reset() = 0;

 private:
  std::string name_;
  TensorSpec spec_;
};

class MemoryVariable : public Variable {
 public:
  MemoryVariable(std::string name, const View& view);
  void read(Slot& slot) const override;
  [[nodiscard]] std::optional<TensorView> in_place() const override;
  void load(const TensorView& value) override;
  [[nodiscard]] void* memory() noexcept override { return data_; }
  void reset() override;

 private:
  void* data_;
  Tensor initial_;
};

class AccessorVariable : public Variable {
 public:
  // Throws: Error kInvalidArgument if `save` or `load` is missing, or gives another dtype or shape than
  // declared.
  [[nodiscard]] static std::unique_ptr<AccessorVariable> make(std::string name, Accessors accessors);

  AccessorVariable(std::string name, TensorSpec spec, Accessors accessors, Tensor initial);
  void read(Slot& slot) const override;
  void load(const TensorView& value) override;
  void reset() override;

 private:
  Accessors accessors_;
  Tensor initial_;
};

// Counts; from any thread.
class StepVariable : public Variable {
 public:
  explicit StepVariable(std::string name);
  void read(Slot& slot) const override;
  void load(const TensorView& value) override;
  void reset() override;

  [[nodiscard]] Step value() const noexcept { return step_.load(); }
  void set(Step step) noexcept { step_.store(step); }
  // The step after it.
  Step advance(Step increment) noexcept { return step_.fetch_add(increment) + increment; }

 private:
  std::atomic<Step> step_{0};
};

}  // namespace fermata::native
