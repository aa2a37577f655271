#include <fmt/format.h>

#include <utility>

#include "engines/native/graph_impl.h"
#include "fermata/error.h"
#include "fermata/native.h"

namespace fermata::native {

View make_view(DType dtype, Shape shape, void* data, std::size_t count) {
  if (num_elements(shape) != static_cast<std::int64_t>(count)) {
    throw Error(Code::kInvalidArgument,
                fmt::format("a view of shape {} needs {} elements, but the memory has {}", shape_text(shape),
                            num_elements(shape), count));
  }
  return {dtype, std::move(shape), data};
}

const TensorView& Inputs::operator[](std::size_t index) const {
  if (index >= values_.size()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("input {} was asked for, but {} were declared", index, values_.size()));
  }
  return *values_[index];
}

Inputs StepOutputs::inputs() const noexcept { return frame_->inputs; }

Session& StepOutputs::session() const noexcept { return *frame_->state->session; }

void StepOutputs::fail_undeclared(std::string_view name) const {
  throw Error(
      Code::kInvalidArgument,
      fmt::format("'{}' set an output '{}', but declared {}; add it to its outputs", frame_->node->name, name,
                  names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", "))));
}

void StepOutputs::put_bits(std::size_t index, DType dtype, std::uint64_t bits) {
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_bits(dtype, bits);
  }
}

void StepOutputs::put_scalar(std::size_t index, DType dtype, const void* value, std::size_t size_bytes) {
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_scalar(dtype, value, size_bytes);
  }
}

void StepOutputs::put_tensor(std::size_t index, const Tensor& value) {
  if (!value.has_value()) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("'{}' gave an empty Tensor as output {}, which is no value", frame_->node->name, index));
  }
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_tensor(value);
  }
}

void StepOutputs::put_copy(std::size_t index, const TensorView& value) {
  if (!value.has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' gave a view without a value as output {}", frame_->node->name, index));
  }
  if (Slot* slot = frame_->outputs[index]) {
    slot->copy(value);
  }
}

void StepOutputs::put_text(std::size_t index, std::string_view text) {
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_tensor(Tensor::string_scalar(std::string(text)));
  }
}

}  // namespace fermata::native
