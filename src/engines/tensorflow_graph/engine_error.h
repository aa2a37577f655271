// The one translator of what TensorFlow says into an Error.
#pragma once

#include <string>
#include <string_view>

#include "engines/plugin_abi.h"
#include "fermata/error.h"

namespace fermata::tensorflow {

// One sentence out of TensorFlow's text: the first cause, without the dumps of nodes and stacks.
[[nodiscard]] std::string engine_sentence(std::string_view message);

// Throws: Error (engine) if `status` is a failure. `doing` says what was tried ("restoring 'm.ckpt'") and may
// be empty; the whole text goes to the log at debug level.
void check(const FermataStatus& status, std::string_view doing = {});

}  // namespace fermata::tensorflow
