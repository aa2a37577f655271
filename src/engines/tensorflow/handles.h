// Owners of what TensorFlow's C API hands out.
#pragma once

#include <memory>

#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

template <auto Delete>
struct HandleDeleter {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Delete(handle);
  }
};

using StatusHandle = std::unique_ptr<TF_Status, HandleDeleter<&TF_DeleteStatus>>;
using BufferHandle = std::unique_ptr<TF_Buffer, HandleDeleter<&TF_DeleteBuffer>>;
using TensorHandle = std::unique_ptr<TF_Tensor, HandleDeleter<&TF_DeleteTensor>>;
using SessionOptionsHandle = std::unique_ptr<TF_SessionOptions, HandleDeleter<&TF_DeleteSessionOptions>>;
using ImportOptionsHandle =
    std::unique_ptr<TF_ImportGraphDefOptions, HandleDeleter<&TF_DeleteImportGraphDefOptions>>;

inline StatusHandle new_status() { return StatusHandle(TF_NewStatus()); }

// A buffer that borrows bytes which outlive its use.
inline TF_Buffer borrowed(const void* data, size_t size) { return TF_Buffer{data, size, nullptr}; }

}  // namespace fermata::tensorflow_plugin
