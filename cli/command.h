// What the program can be told to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fermata::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  // Gets what follows the command's name; returns the exit code. Throws: UsageError, Error.
  int (*run)(const std::vector<std::string>& args);
};

// All commands in the order in which help shows them. A new one has its own files and one row in commands.cc.
[[nodiscard]] const std::vector<Command>& commands();

// Null for an unknown name.
[[nodiscard]] const Command* find_command(std::string_view name);

int run_train(const std::vector<std::string>& args);
int run_inspect(const std::vector<std::string>& args);
int run_checkpoint(const std::vector<std::string>& args);
int run_events(const std::vector<std::string>& args);
int run_help(const std::vector<std::string>& args);

}  // namespace fermata::cli
