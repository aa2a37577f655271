// Names that somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"

namespace fermata {

// Up to `count` of `names`, the most similar to `wanted` first; those that share nothing with it are left
// out.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted,
                                                     const std::vector<std::string>& names,
                                                     std::size_t count = 3);

// "; did you mean 'loss:0' or 'loss_1:0'?" — empty if nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace fermata
