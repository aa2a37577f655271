#include "cli/help.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/usage_error.h"
#include "fermata/stop_verdict.h"

namespace fermata::cli {

std::string general_help() {
  std::string text =
      "Runs a training loop to exactly where it should end, watched and steered by hooks.\n\n"
      "Usage: fermata COMMAND [OPTIONS]\n"
      "       fermata --help | --version\n\n"
      "Commands:\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  return text + "\nOptions of a command: fermata COMMAND --help. Exit codes: fermata help exit-codes.\n";
}

std::string exit_codes_help() {
  std::string text = "Exit codes:\n";
  for (const ExitCode& exit : exit_codes()) {
    text += fmt::format("  {:>3}  {}\n", exit.code, exit.meaning);
  }
  return text;
}

int run_help(const std::vector<std::string>& args) {
  if (args.size() > 1) {
    throw UsageError("help takes one topic: a command or `exit-codes`");
  }
  const std::string topic = args.empty() ? "help" : args.front();
  if (topic == "exit-codes") {
    fmt::print("{}", exit_codes_help());
    return 0;
  }
  const Command* command = find_command(topic);
  if (command == nullptr && !topic.starts_with('-')) {
    throw UsageError(
        fmt::format("there is no help on '{}'; topics are the commands and `exit-codes`", topic));
  }
  if (command == nullptr || command->run == run_help) {
    fmt::print("{}", general_help());
    return 0;
  }
  return command->run({"--help"});
}

}  // namespace fermata::cli
