// What the operating system refused, as an Error.
#pragma once

#include <string>

#include "fermata/error.h"

namespace fermata::cli {

// "`what`: `the system's words for failure`; `what to do`"; `failure` is a value of errno.
[[nodiscard]] Error system_error(const std::string& what, int failure);

}  // namespace fermata::cli
