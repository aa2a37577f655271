// A placeholder that nothing feeds, in words that say what to give.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "fermata/tensorflow.h"

namespace fermata::cli {

// If `error` is the engine's complaint about a placeholder that got no value: an Error with the name that the
// user knows and the options to give. Else `error` itself. `fed` are the tensors that were fed.
[[nodiscard]] std::exception_ptr explain_unfed(const tensorflow::Model& model,
                                               const std::string& train_signature,
                                               const std::vector<Output>& fed,
                                               const std::exception_ptr& error);

}  // namespace fermata::cli
