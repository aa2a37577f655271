// Walks through the outermost level of a message from a file, and says where it stops to be one.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "wire/malformed.h"

namespace fermata::wire {

// For messages whose fields are messages or strings, numbered 1 to `last_field`; `number_field` may be a
// plain number instead and is passed over. Files of other kinds fail here, since they would need other
// fields. Throws: Malformed.
void for_each_message(std::string_view bytes, std::uint32_t last_field,
                      const std::function<void(std::uint32_t field, std::string_view value)>& visit,
                      std::uint32_t number_field = 0);

}  // namespace fermata::wire
