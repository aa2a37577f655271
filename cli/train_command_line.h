// The command line that would train a model.
#pragma once

#include <string>
#include <vector>

#include "cli/inspection.h"

namespace fermata::cli {

// Each input that takes rows is read from a file of its own name, "x" from x.npy; single values are fed as 1,
// true or a word. `options` go before those of the input: names that the model does not say itself.
[[nodiscard]] std::string train_command_line(const Inspection& inspection,
                                             const std::vector<std::string>& options);

}  // namespace fermata::cli
