// The program `fermata`: finds the command and turns what it throws into one line and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/process_start.h"
#include "cli/usage_error.h"
#include "cli/version.h"
#include "fermata/error.h"
#include "fermata/stop_verdict.h"

namespace fermata::cli {
namespace {

constexpr int kExitUsage = 2;

int dispatch(const std::vector<std::string>& args) {
  if (args.empty()) {
    fmt::print(stderr, "{}", general_help());
    return kExitUsage;
  }
  if (args[0] == "--version") {
    fmt::print("fermata {}\n", fermata_version());
    return 0;
  }
  if (args[0] == "--help" || args[0] == "-h") {
    fmt::print("{}", general_help());
    return 0;
  }
  const Command* command = find_command(args[0]);
  if (command == nullptr) {
    throw UsageError(fmt::format("there is no command '{}'", args[0]));
  }
  return command->run({args.begin() + 1, args.end()});
}

// The help that fits what was typed.
std::string hint(const std::vector<std::string>& args) {
  const Command* command = args.empty() ? nullptr : find_command(args[0]);
  return command != nullptr && command->run != run_help ? fmt::format("fermata {} --help", args[0])
                                                        : "fermata --help";
}

int run(const std::vector<std::string>& args) {
  try {
    return dispatch(args);
  } catch (const UsageError& error) {
    fmt::print(stderr, "fermata: {} (see {})\n", error.what(), hint(args));
    return kExitUsage;
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    fmt::print(stderr, "fermata: {}\n", describe(error));
    return exit_code_for(error);
  }
}

}  // namespace
}  // namespace fermata::cli

int main(int argc, char** argv) {
  fermata::cli::process_start();
  return fermata::cli::run({argv + 1, argv + argc});
}
