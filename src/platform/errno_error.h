// The one place that turns errno into an Error.
#pragma once

#include <string>
#include <string_view>

#include "fermata/error.h"

namespace fermata {

// "PATH: cannot ACTION: what it means; what to do".
[[nodiscard]] Error errno_error(int error_number, std::string_view action, const std::string& path);

[[noreturn]] void throw_errno(int error_number, std::string_view action, const std::string& path);

}  // namespace fermata
