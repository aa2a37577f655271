// Where one value of a run lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fermata/tensor.h"

namespace fermata::native {

// Used again by each run, so that a scalar or a value of a known size allocates nothing. Its address must not
// change once something refers to it.
class Slot {
 public:
  Slot() = default;
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  [[nodiscard]] const TensorView& view() const noexcept { return *view_; }

  // From now on the view is written here, so that the results of a run need no copy. Before anything refers
  // to it.
  void show_at(TensorView& place) noexcept { view_ = &place; }

  // A value must be set again before the slot counts as filled.
  void expect() noexcept { filled_ = false; }
  [[nodiscard]] bool filled() const noexcept { return filled_; }

  // A number of at most 8 bytes, the first ones of `bits`.
  void set_bits(DType dtype, std::uint64_t bits) {
    std::memcpy(scalar_, &bits, sizeof(bits));
    fill_with_scalar(dtype);
  }
  void set_scalar(DType dtype, const void* value, std::size_t size_bytes) {
    std::memcpy(scalar_, value, size_bytes);
    fill_with_scalar(dtype);
  }
  // Shares the tensor's memory.
  void set_tensor(const Tensor& value);
  // Copies the value into memory of this slot.
  void copy(const TensorView& value);
  // Refers to memory that lives at least as long as what this run gives out.
  void refer(const TensorView& value) noexcept;

 private:
  static constexpr std::size_t kScalarBytes = 16;

  void fill_with_scalar(DType dtype) {
    if (view_->data() != scalar_ || view_->dtype() != dtype) [[unlikely]] {
      show_scalar(dtype);
    }
    filled_ = true;
  }
  void show_scalar(DType dtype) noexcept;

  TensorView own_view_;
  TensorView* view_ = &own_view_;
  bool filled_ = false;
  alignas(kScalarBytes) std::byte scalar_[kScalarBytes] = {};
  Tensor tensor_;
  Shape shape_;
  std::vector<std::byte> bytes_;
};

}  // namespace fermata::native
