// Element types as the messages call them.
#pragma once

#include <string>

namespace fermata::tensorflow_plugin {

// Types from 101 on are references to a variable of the type 100 below.
inline constexpr int kFirstReference = 100;

[[nodiscard]] constexpr bool is_reference(int dtype) noexcept { return dtype > kFirstReference; }
[[nodiscard]] constexpr int without_reference(int dtype) noexcept {
  return is_reference(dtype) ? dtype - kFirstReference : dtype;
}

// "float32"; "dtype 99" for a number without a name.
[[nodiscard]] std::string dtype_name(int dtype);

// True for strings and plain data: what has a value outside of TensorFlow.
[[nodiscard]] bool has_value(int dtype) noexcept;

}  // namespace fermata::tensorflow_plugin
