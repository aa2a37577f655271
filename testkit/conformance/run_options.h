// Run options and metadata as scenarios write them.
#pragma once

#include <string>
#include <string_view>

#include "conformance/json.h"
#include "fermata/session_run_args.h"

namespace fermata::conformance {

[[nodiscard]] RunOptions options_of(const Json& spec);
// The fields that are not at their defaults, "default" if all are, "none" for null.
[[nodiscard]] std::string options_text(const RunOptions* options);
// "filled" if a serialized tensorflow.RunMetadata has statistics of a device, else "empty".
[[nodiscard]] std::string metadata_text(std::string_view serialized);

}  // namespace fermata::conformance
