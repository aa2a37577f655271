// The commands `fermata checkpoint list` and `fermata checkpoint verify`, and what all of them share.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/checkpoint_command.h"
#include "cli/command.h"
#include "cli/json_value.h"
#include "cli/screen.h"
#include "cli/setters.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "fermata/error.h"
#include "fermata/saver.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kExitData = 3;

std::string step_text(std::optional<Step> step) { return step ? fmt::format("{}", *step) : "-"; }

std::string marks(const CheckpointListing& listing) {
  std::string text;
  const auto add = [&](bool wanted, std::string_view word) {
    text += wanted ? (text.empty() ? std::string(word) : ", " + std::string(word)) : "";
  };
  add(listing.latest, "latest");
  add(!listing.listed, "not in the state file");
  add(listing.pinned, "pinned");
  return text;
}

ordered_json listing_json(const CheckpointListing& listing) {
  return {
      {"prefix", listing.prefix},     {"step", listing.step ? ordered_json(*listing.step) : ordered_json()},
      {"time", listing.unix_seconds}, {"bytes", listing.size_bytes},
      {"latest", listing.latest},     {"listed", listing.listed},
      {"pinned", listing.pinned}};
}

void print_table(const std::vector<CheckpointListing>& all) {
  Table table({{"step", Align::kRight}, {"size", Align::kRight}, {"written"}, {"checkpoint"}, {""}});
  for (const CheckpointListing& listing : all) {
    table.add({step_text(listing.step), size_text(static_cast<double>(listing.size_bytes)),
               utc_text(listing.unix_seconds), name_of_prefix(listing.prefix), marks(listing)});
  }
  fmt::print("{}", table.text());
}

// The checkpoint that was named, or all of the folder.
std::vector<std::string> checkpoints_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored) || checkpoint_exists(path)) {
    return {find_checkpoint(path)};
  }
  std::vector<std::string> prefixes;
  for (const CheckpointListing& listing : list_checkpoints(path)) {
    prefixes.push_back(listing.prefix);
  }
  // Says that there are none.
  return prefixes.empty() ? std::vector{find_checkpoint(path)} : prefixes;
}

}  // namespace

OperandSpec checkpoint_operand(const std::string& name) {
  return {name, "a checkpoint without its ending (runs/a/model.ckpt-500), or a folder: its latest one",
          fmt::format("{} is missing: give a checkpoint (the path without its ending) or a folder with some",
                      name)};
}

OptionSpec json_option(bool& json) { return {"--json", "", "JSON instead of text", set_true(json)}; }

std::string name_of_prefix(const std::string& prefix) {
  return std::filesystem::path(prefix).filename().string();
}

std::string kind_text(const CheckpointReader::Entry& entry) {
  return fmt::format("{} {}", dtype_name(entry.dtype), shape_text(entry.shape));
}

int run_checkpoint_list(const std::vector<std::string>& args) {
  bool json = false;
  const CommandSpec command = {
      "fermata checkpoint list",
      "Lists the checkpoints of a folder, oldest step first, also those that the state file does not name.",
      {{"Options", {json_option(json)}}},
      {{"DIR", "the folder", "the folder is missing"}}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  const std::vector<CheckpointListing> all = list_checkpoints(line->operands[0]);
  if (!json) {
    print_table(all);
    return 0;
  }
  for (const CheckpointListing& listing : all) {
    fmt::print("{}\n", json_text(listing_json(listing)));
  }
  return 0;
}

int run_checkpoint_verify(const std::vector<std::string>& args) {
  bool json = false;
  OperandSpec operand = checkpoint_operand("PATH");
  operand.help = "a checkpoint without its ending, or a folder: all of its checkpoints";
  const CommandSpec command = {
      "fermata checkpoint verify",
      "Reads whole checkpoints and checks sizes and checksums. The exit code is 3 if one is damaged.",
      {{"Options", {json_option(json)}}},
      {operand}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  int code = 0;
  for (const std::string& prefix : checkpoints_of(line->operands[0])) {
    const std::optional<std::string> damage = find_damage(prefix);
    code = damage ? kExitData : code;
    if (json) {
      fmt::print("{}\n", json_text({{"prefix", prefix},
                                    {"whole", !damage},
                                    {"damage", damage ? ordered_json(*damage) : ordered_json()}}));
    } else {
      fmt::print("{}: {}\n", name_of_prefix(prefix), damage ? "damaged: " + *damage : "whole");
    }
  }
  return code;
}

int run_checkpoint(const std::vector<std::string>& args) {
  static const std::vector<Command> verbs = {
      {"list", "the checkpoints of a folder", run_checkpoint_list},
      {"show", "the tensors of a checkpoint, and what was kept beside them", run_checkpoint_show},
      {"verify", "whether checkpoints are whole", run_checkpoint_verify},
      {"diff", "what differs between two checkpoints, and by how much", run_checkpoint_diff},
      {"export", "tensors as .npy or .npz for NumPy", run_checkpoint_export},
  };
  return run_verb("fermata checkpoint",
                  "Looks into checkpoints, those of TensorFlow too. Needs no graph and no TensorFlow.", verbs,
                  args);
}

}  // namespace fermata::cli
