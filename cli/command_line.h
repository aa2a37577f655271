// The words behind a command's name: options, the model, the request for help.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fermata::cli {

// Takes a value; `option` is the long name for messages. Throws: UsageError.
using SetOption = std::function<void(const std::string& option, const std::string& value)>;

struct OptionSpec {
  // "-v,--verbose"
  std::string names;
  // How help calls its value; empty: it is a switch.
  std::string value;
  std::string help;
  SetOption set;
  // Each value counts, not only that of the last time it is given.
  bool repeatable = false;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionSpec> options;
};

// One of the words that are no options.
struct OperandSpec {
  std::string name;
  std::string help;
  // What is said if it is missing.
  std::string missing;
};

[[nodiscard]] std::vector<OperandSpec> model_operand();

struct CommandSpec {
  // "fermata train"
  std::string name;
  std::string description;
  std::vector<OptionGroup> groups;
  // All must be given.
  std::vector<OperandSpec> operands = model_operand();
};

struct CommandLine {
  // The first operand.
  std::string model;
  // All of them, in their order.
  std::vector<std::string> operands;
  // The options as they were typed, without dashes: "last-step" and its one value, "input" and all of its; a
  // switch has none.
  std::vector<std::pair<std::string, std::vector<std::string>>> given;
};

// Sets what was given, in the order of the groups. Nothing if only help was asked for; it is printed then.
// Throws: UsageError.
[[nodiscard]] std::optional<CommandLine> parse_command_line(const CommandSpec& command,
                                                            const std::vector<std::string>& args);

}  // namespace fermata::cli
