// The number of a training step.
#pragma once

#include <cstdint>

namespace fermata {

// How many updates the graph has made: the value of its global step.
using Step = std::int64_t;

}  // namespace fermata
