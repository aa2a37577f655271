// Long messages of TensorFlow, made to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fermata::tensorflow_plugin {

// At most `capacity` bytes of `message`, never a torn UTF-8 character. TensorFlow names the place first and,
// for functions, the cause last, with pages of nodes and stack frames between: a long text loses its middle.
[[nodiscard]] std::string shorten(std::string_view message, std::size_t capacity);

}  // namespace fermata::tensorflow_plugin
