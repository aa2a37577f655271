#include "cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/usage_error.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

std::string help(const std::string& command, std::string_view description,
                 const std::vector<Command>& verbs) {
  std::string text =
      fmt::format("{}\n\nUsage: {} COMMAND ... [OPTIONS]\n\nCommands:\n", description, command);
  for (const Command& verb : verbs) {
    text += fmt::format("  {:<9} {}\n", verb.name, verb.summary);
  }
  return text + fmt::format("\nOptions of a command: {} COMMAND --help.\n", command);
}

}  // namespace

int run_verb(const std::string& command, std::string_view description, const std::vector<Command>& verbs,
             const std::vector<std::string>& args) {
  if (args.empty()) {
    throw UsageError(fmt::format("{} needs a command behind it", command));
  }
  if (args[0] == "--help" || args[0] == "-h") {
    fmt::print("{}", help(command, description, verbs));
    return 0;
  }
  const auto verb =
      std::find_if(verbs.begin(), verbs.end(), [&](const Command& v) { return v.name == args[0]; });
  if (verb == verbs.end()) {
    throw UsageError(fmt::format("there is no command '{}' of {}", args[0], command));
  }
  const int code = verb->run({args.begin() + 1, args.end()});
  // What failed on the way has left its mark.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(Code::kUnknown, "stdout: not all of it could be written; is the disk full?",
                ErrorSource::kSystem);
  }
  return code;
}

}  // namespace fermata::cli
