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

namespace {

[[noreturn]] void fail_undeclared(const Node& node, std::string_view name) {
  const std::vector<std::string>& names = node.output_names;
  throw Error(Code::kInvalidArgument,
              fmt::format("'{}' set an output '{}', but declared {}; add it to its outputs", node.name, name,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

// Names are so short that a call of memcmp would take longer.
bool same(const std::string& a, std::string_view b) noexcept {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

// A search by comparison: an operation has few outputs.
std::int32_t find_output(const Node& node, std::string_view name) {
  for (std::size_t i = 0; i < node.output_names.size(); ++i) {
    if (same(node.output_names[i], name)) {
      return static_cast<std::int32_t>(i);
    }
  }
  fail_undeclared(node, name);
}

}  // namespace

std::int32_t StepOutputs::index_of(std::string_view name) const { return find_output(*frame_->node, name); }

void StepOutputs::set_scalar(std::string_view name, DType dtype, const void* value, std::size_t size_bytes) {
  if (Slot* slot = frame_->outputs[find_output(*frame_->node, name)]) {
    slot->set_scalar(dtype, value, size_bytes);
  }
}

void StepOutputs::put_scalar(std::int32_t index, DType dtype, const void* value, std::size_t size_bytes) {
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_scalar(dtype, value, size_bytes);
  }
}

void StepOutputs::put_tensor(std::int32_t index, const Tensor& value) {
  if (!value.has_value()) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("'{}' gave an empty Tensor as output {}, which is no value", frame_->node->name, index));
  }
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_tensor(value);
  }
}

void StepOutputs::put_copy(std::int32_t index, const TensorView& value) {
  if (!value.has_value()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("'{}' gave a view without a value as output {}", frame_->node->name, index));
  }
  if (Slot* slot = frame_->outputs[index]) {
    slot->copy(value);
  }
}

void StepOutputs::put_text(std::int32_t index, std::string_view text) {
  if (Slot* slot = frame_->outputs[index]) {
    slot->set_tensor(Tensor::string_scalar(std::string(text)));
  }
}

}  // namespace fermata::native
