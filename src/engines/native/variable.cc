#include "engines/native/variable.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "engines/native/text.h"
#include "fermata/error.h"

namespace fermata::native {
namespace {

[[noreturn]] void fail_fit(const std::string& name, const TensorSpec& spec, const TensorView& value) {
  throw Error(Code::kInvalidArgument,
              fmt::format("variable '{}' is {}, but its save gave {}; declare what it gives", name,
                          spec_text(spec), value_text(value)));
}

void require_accessors(const std::string& name, const Accessors& accessors) {
  if (!accessors.save || !accessors.load) {
    throw Error(Code::kInvalidArgument,
                fmt::format("variable '{}' has no {}; give both, so that it can be saved and restored", name,
                            accessors.save ? "load" : "save"));
  }
}

}  // namespace

Variable::~Variable() = default;

std::optional<TensorView> Variable::in_place() const { return std::nullopt; }

void* Variable::memory() noexcept { return nullptr; }

MemoryVariable::MemoryVariable(std::string name, const View& view)
    : Variable(std::move(name), {view.dtype, view.shape}),
      data_(view.data),
      initial_(TensorView(view.dtype, view.shape, view.data).copy()) {}

std::optional<TensorView> MemoryVariable::in_place() const {
  return TensorView(spec().dtype, *spec().shape, data_);
}

void MemoryVariable::read(Slot& slot) const { slot.copy(*in_place()); }

void MemoryVariable::load(const TensorView& value) {
  if (value.byte_size() != 0) {
    std::memcpy(data_, value.data(), value.byte_size());
  }
}

void MemoryVariable::reset() { load(initial_.view()); }

std::unique_ptr<AccessorVariable> AccessorVariable::make(std::string name, Accessors accessors) {
  require_accessors(name, accessors);
  Tensor initial;
  if (!accessors.init || accessors.dtype == DType::kInvalid) {
    initial = accessors.save();
  }
  if (accessors.dtype == DType::kInvalid) {
    accessors.dtype = initial.dtype();
  }
  TensorSpec spec{accessors.dtype, accessors.shape};
  if (accessors.init) {
    initial = {};  // not needed any more, and it may be large
  } else if (!initial.has_value() || !fits(spec, initial.view())) {
    fail_fit(name, spec, initial.view());
  }
  return std::make_unique<AccessorVariable>(std::move(name), std::move(spec), std::move(accessors),
                                            std::move(initial));
}

AccessorVariable::AccessorVariable(std::string name, TensorSpec spec, Accessors accessors, Tensor initial)
    : Variable(std::move(name), std::move(spec)),
      accessors_(std::move(accessors)),
      initial_(std::move(initial)) {}

void AccessorVariable::read(Slot& slot) const {
  const Tensor value = accessors_.save();
  if (!value.has_value() || !fits(spec(), value.view())) {
    fail_fit(name(), spec(), value.view());
  }
  slot.set_tensor(value);
}

void AccessorVariable::load(const TensorView& value) { accessors_.load(value); }

void AccessorVariable::reset() {
  if (accessors_.init) {
    accessors_.init();
  } else {
    accessors_.load(initial_.view());
  }
}

StepVariable::StepVariable(std::string name) : Variable(std::move(name), {DType::kInt64, Shape{}}) {
  trainable = false;
}

void StepVariable::read(Slot& slot) const {
  const Step step = value();
  slot.set_scalar(DType::kInt64, &step, sizeof(step));
}

void StepVariable::load(const TensorView& value) { set(value.scalar<Step>()); }

void StepVariable::reset() { set(0); }

}  // namespace fermata::native
