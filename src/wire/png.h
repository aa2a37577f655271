// Writes PNG images.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fermata::wire {

// Not compressed. `pixels`: one byte a channel, row after row. Requires: 1, 3 or 4 channels, positive sizes,
// and as many bytes as they say.
[[nodiscard]] std::string encode_png(std::string_view pixels, std::int32_t height, std::int32_t width,
                                     std::int32_t channels);

}  // namespace fermata::wire
