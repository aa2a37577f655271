#include "engines/native/slot.h"

#include <cstring>

namespace fermata::native {

void Slot::set_tensor(const Tensor& value) {
  tensor_ = value;
  *view_ = tensor_.view();
  filled_ = true;
}

void Slot::copy(const TensorView& value) {
  const std::size_t size = value.byte_size();
  if (value.dtype() == DType::kString || !value.has_value()) {
    set_tensor(value.copy());
    return;
  }
  if (value.shape().empty() && size <= kScalarBytes) {
    set_scalar(value.dtype(), value.data(), size);
    return;
  }
  shape_.assign(value.shape().begin(), value.shape().end());
  bytes_.resize(size);
  if (size != 0) {
    std::memcpy(bytes_.data(), value.data(), size);
  }
  *view_ = TensorView(value.dtype(), shape_, bytes_.data());
  filled_ = true;
}

void Slot::show_scalar(DType dtype) noexcept { *view_ = TensorView(dtype, {}, scalar_); }

void Slot::refer(const TensorView& value) noexcept {
  *view_ = value;
  filled_ = true;
}

}  // namespace fermata::native
