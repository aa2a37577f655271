// Values typed on the command line.
#pragma once

#include <string>

#include "fermata/graph.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// "0.5", "true", "a text", "[1,2,3]" as a tensor of the dtype that `spec` asks for. `what` begins messages:
// "--feed rate". Throws: UsageError for text that is no such value, or one of another shape.
[[nodiscard]] Tensor parse_feed_value(const std::string& what, const std::string& text,
                                      const TensorSpec& spec);

}  // namespace fermata::cli
