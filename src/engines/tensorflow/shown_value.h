// A fetched value as the core sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/plugin_abi.h"
#include "tensorflow/c/tf_datatype.h"

namespace fermata::tensorflow_plugin {

// Keeps what a view points to and the fetched tensor does not have: the shape, the table of strings, and a
// copy where the tensor's memory can change. Used again for each run, it allocates only where a value has
// grown.
class ShownValue {
 public:
  // Room for the sizes, to be filled before show(). No pointer to it may be kept.
  [[nodiscard]] int64_t* shape(int rank) {
    if (static_cast<size_t>(rank) != dims_.size()) dims_.resize(static_cast<size_t>(rank));
    return dims_.data();
  }

  // `data` is plain data, or TF_TString for strings, of the shape that was set.
  void show(int dtype, const void* data, int64_t count, bool copy, FermataTensorView& view) {
    view.dtype = dtype;
    view.rank = static_cast<int32_t>(dims_.size());
    view.dims = dims_.data();
    view.num_elements = static_cast<uint64_t>(count);
    const bool as_it_is = dtype != TF_STRING && !copy;
    view.data = as_it_is ? data : own(dtype, data, static_cast<size_t>(count), copy);
  }

 private:
  [[nodiscard]] const void* own(int dtype, const void* data, size_t count, bool copy);
  [[nodiscard]] const void* list_strings(const void* data, size_t count, bool copy);
  [[nodiscard]] const void* copy_plain(const void* data, size_t bytes);
  void copy_texts();

  std::vector<int64_t> dims_;
  std::vector<FermataString> strings_;
  std::vector<std::byte> copy_;
};

}  // namespace fermata::tensorflow_plugin
