#include "engines/tensorflow/fed_value.h"

#include <new>
#include <string>
#include <utility>

#include "engines/tensorflow/dtype_names.h"
#include "engines/tensorflow/runtime.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

constexpr std::align_val_t kAlignment{64};

// Calls the owner's release once, when the last user of it is gone.
class Owner {
 public:
  Owner(void (*release)(void* user), void* user) : release_(release), user_(user) {}
  ~Owner() {
    if (release_ != nullptr) release_(user_);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

 private:
  void (*release_)(void* user);
  void* user_;
};

void delete_owner(void* /*data*/, size_t /*bytes*/, void* owner) { delete static_cast<Owner*>(owner); }

void delete_strings(void* data, size_t bytes, void* /*unused*/) {
  auto* const strings = static_cast<TF_TString*>(data);
  for (size_t i = 0; i < bytes / sizeof(TF_TString); ++i) TF_StringDealloc(&strings[i]);
  ::operator delete(data, kAlignment);
}

void require_consistent(const FermataTensorView& value) {
  if (!has_value(value.dtype)) {
    throw Failure(TF_INVALID_ARGUMENT, "a value of type " + dtype_name(value.dtype) + " cannot be fed");
  }
  uint64_t elements = 1;
  for (int32_t i = 0; i < value.rank; ++i) {
    if (value.dims[i] < 0 ||
        __builtin_mul_overflow(elements, static_cast<uint64_t>(value.dims[i]), &elements)) {
      throw Failure(TF_INVALID_ARGUMENT, "a value to be fed has an impossible shape");
    }
  }
  const std::string count = std::to_string(value.num_elements) + " elements";
  if (value.rank < 0 || elements != value.num_elements) {
    throw Failure(TF_INVALID_ARGUMENT,
                  "a value to be fed has " + count + ", and its shape says " + std::to_string(elements));
  }
  if (elements > 0 && value.data == nullptr) {
    throw Failure(TF_INVALID_ARGUMENT, "a value to be fed has " + count + " and no data");
  }
}

TensorHandle require_made(TF_Tensor* tensor) {
  if (tensor == nullptr) throw Failure(TF_INVALID_ARGUMENT, "TensorFlow refused a value to be fed");
  return TensorHandle(tensor);
}

// TensorFlow uses the memory as it is where it is aligned, and copies it at once where it is not.
TensorHandle wrap_plain(const FermataTensorView& value, std::unique_ptr<Owner> owner) {
  const size_t bytes = value.num_elements * TF_DataTypeSize(static_cast<TF_DataType>(value.dtype));
  // It never writes to memory that it does not own.
  return require_made(TF_NewTensor(static_cast<TF_DataType>(value.dtype), value.dims, value.rank,
                                   const_cast<void*>(value.data), bytes, delete_owner, owner.release()));
}

// Each string is copied in full: one that TensorFlow only borrowed would stay borrowed in a variable or
// queue.
TensorHandle copy_strings(const FermataTensorView& value) {
  const size_t bytes = value.num_elements * sizeof(TF_TString);
  auto* const strings = static_cast<TF_TString*>(::operator new(bytes, kAlignment));
  const auto* const texts = static_cast<const FermataString*>(value.data);
  for (size_t i = 0; i < value.num_elements; ++i) {
    TF_StringInit(&strings[i]);
    TF_StringCopy(&strings[i], texts[i].data, texts[i].size);
  }
  return require_made(
      TF_NewTensor(TF_STRING, value.dims, value.rank, strings, bytes, delete_strings, nullptr));
}

TensorHandle make_tensor(const FermataTensorView& value, std::unique_ptr<Owner> owner) {
  require_consistent(value);
  return value.dtype == TF_STRING ? copy_strings(value) : wrap_plain(value, std::move(owner));
}

void* tensor_new(const FermataTensorView* value, void (*release)(void* user), void* user,
                 FermataStatus* status) {
  return guarded(status, [&]() -> void* {
    auto owner = std::make_unique<Owner>(release, user);
    return new FedValue(make_tensor(*value, std::move(owner)));
  });
}

void tensor_delete(void* tensor) { delete static_cast<FedValue*>(tensor); }

}  // namespace

FedValue::FedValue(TensorHandle made) : dtype(TF_TensorType(made.get())), tensor(std::move(made)) {
  for (int i = 0; i < TF_NumDims(tensor.get()); ++i) shape.push_back(TF_Dim(tensor.get(), i));
  if (runtime().prepared_calls) call_tensor.reset(to_call_tensor(tensor.get()));
}

void add_value_functions(FermataPluginApi& api) {
  api.tensor_new = tensor_new;
  api.tensor_delete = tensor_delete;
}

}  // namespace fermata::tensorflow_plugin
