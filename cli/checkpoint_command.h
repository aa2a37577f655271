// The commands of `fermata checkpoint`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "fermata/checkpoint_reader.h"

namespace fermata::cli {

int run_checkpoint_list(const std::vector<std::string>& args);
int run_checkpoint_show(const std::vector<std::string>& args);
int run_checkpoint_verify(const std::vector<std::string>& args);
int run_checkpoint_diff(const std::vector<std::string>& args);
int run_checkpoint_export(const std::vector<std::string>& args);

[[nodiscard]] OperandSpec checkpoint_operand(const std::string& name);
[[nodiscard]] OptionSpec json_option(bool& json);

// What a checkpoint or a tensor is called in lists: without the folder; its shape and type.
[[nodiscard]] std::string name_of_prefix(const std::string& prefix);
[[nodiscard]] std::string kind_text(const CheckpointReader::Entry& entry);

}  // namespace fermata::cli
