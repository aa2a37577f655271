#include <algorithm>

#include "cli/command.h"

namespace fermata::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"train", "train a graph to a step, with checkpoints, logs and evaluation", run_train},
      {"inspect", "show what a graph offers to a trainer, and the command line that trains it", run_inspect},
      {"checkpoint", "list, show, verify, compare and export saved variables", run_checkpoint},
      {"events", "list, show, verify and export what TensorBoard shows", run_events},
      {"help", "show this text, the options of a command, or `exit-codes`", run_help},
  };
  return all;
}

const Command* find_command(std::string_view name) {
  const auto& all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fermata::cli
