// What an operation costs, estimated from its type and the shapes around it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fermata/graph.h"

namespace fermata::tensorflow {

// A shape that is not known, of the whole or of one dimension, is taken for a single value or for 64 of them.
using KnownShape = std::optional<Shape>;

// Nanoseconds on one thread, without what the executor adds. Good to about a factor of three: it tells what
// is heavy from what is not, and nothing finer.
[[nodiscard]] double operation_cost(std::string_view type, std::span<const KnownShape> inputs,
                                    std::span<const KnownShape> outputs);

}  // namespace fermata::tensorflow
