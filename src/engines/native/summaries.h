// Scalar summaries as callables.
#pragma once

#include <string>

#include "fermata/native.h"

namespace fermata::native {

// Gives out a serialized tensorflow.Summary with the input's value under `tag`.
[[nodiscard]] Callable scalar_summary_body(std::string tag);

// Gives out one Summary with the values of all inputs.
[[nodiscard]] Callable merged_summary_body();

}  // namespace fermata::native
