#include "engines/tensorflow/shown_value.h"

#include <cstring>

#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

const void* ShownValue::own(int dtype, const void* data, size_t count, bool copy) {
  if (dtype == TF_STRING) return list_strings(data, count, copy);
  return copy_plain(data, count * TF_DataTypeSize(static_cast<TF_DataType>(dtype)));
}

const void* ShownValue::copy_plain(const void* data, size_t bytes) {
  copy_.resize(bytes);
  if (bytes > 0) std::memcpy(copy_.data(), data, bytes);
  return copy_.data();
}

const void* ShownValue::list_strings(const void* data, size_t count, bool copy) {
  const auto* const texts = static_cast<const TF_TString*>(data);
  strings_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    strings_[i] = {TF_StringGetDataPointer(&texts[i]), TF_StringGetSize(&texts[i])};
  }
  if (copy) copy_texts();
  return strings_.data();
}

void ShownValue::copy_texts() {
  size_t bytes = 0;
  for (const FermataString& text : strings_) bytes += text.size;
  copy_.resize(bytes);
  char* place = reinterpret_cast<char*>(copy_.data());
  for (FermataString& text : strings_) {
    if (text.size > 0) std::memcpy(place, text.data, text.size);
    text.data = place;
    place += text.size;
  }
}

}  // namespace fermata::tensorflow_plugin
