// Commands that have commands of their own: `fermata checkpoint list`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace fermata::cli {

// Runs the verb that `args` begin with, or prints the help. `command` is "fermata checkpoint". What stdout
// could not take is an error. Throws: UsageError, Error.
int run_verb(const std::string& command, std::string_view description, const std::vector<Command>& verbs,
             const std::vector<std::string>& args);

}  // namespace fermata::cli
