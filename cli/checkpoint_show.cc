// The command `fermata checkpoint show`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "cli/checkpoint_command.h"
#include "cli/json_value.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/text.h"
#include "fermata/saver.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

std::optional<Step> step_of(const std::string& prefix, const std::optional<CheckpointManifest>& manifest) {
  return manifest && manifest->step ? manifest->step : step_of_checkpoint(prefix);
}

std::uint64_t total_bytes(const CheckpointReader& reader) {
  std::uint64_t bytes = 0;
  for (const CheckpointReader::Entry& entry : reader.entries()) {
    bytes += entry.size_bytes;
  }
  return bytes;
}

// --- JSON

ordered_json state_json(const HookState& state) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : state.values()) {
    std::visit([&, &name = key](const auto& stored) { object[name] = stored; }, value);
  }
  return object;
}

ordered_json entry_json(const CheckpointReader::Entry& entry) {
  return {{"name", entry.name},
          {"dtype", dtype_name(entry.dtype)},
          {"shape", entry.shape},
          {"bytes", entry.size_bytes},
          {"crc32c", entry.crc32c ? ordered_json(*entry.crc32c) : ordered_json()},
          {"parts", entry.num_parts}};
}

ordered_json manifest_json(const CheckpointManifest& manifest) {
  ordered_json hooks = ordered_json::object();
  for (const auto& [name, state] : manifest.state.hooks) {
    hooks[name] = state_json(state);
  }
  return {{"fermata", manifest.fermata_version},
          {"time", manifest.unix_seconds},
          {"value", manifest.value ? json_number(*manifest.value) : ordered_json()},
          {"hooks", hooks},
          {"engine", state_json(manifest.state.engine)}};
}

void print_json(const CheckpointReader& reader, const std::optional<CheckpointManifest>& manifest) {
  const std::optional<Step> step = step_of(reader.prefix(), manifest);
  ordered_json tensors = ordered_json::array();
  for (const CheckpointReader::Entry& entry : reader.entries()) {
    tensors.push_back(entry_json(entry));
  }
  fmt::print("{}\n", json_text({{"prefix", reader.prefix()},
                                {"step", step ? ordered_json(*step) : ordered_json()},
                                {"bytes", total_bytes(reader)},
                                {"manifest", manifest ? manifest_json(*manifest) : ordered_json()},
                                {"tensors", std::move(tensors)}},
                               2));
}

// --- text

std::string state_text(const HookState& state) {
  std::string text;
  for (const auto& [key, value] : state.values()) {
    text += text.empty() ? "" : ", ";
    std::visit([&, &name = key](const auto& stored) { text += fmt::format("{} {}", name, stored); }, value);
  }
  return one_line(text);
}

void print_head(const CheckpointReader& reader, const std::optional<CheckpointManifest>& manifest) {
  const std::optional<Step> step = step_of(reader.prefix(), manifest);
  fmt::print("{}: {}{} tensors, {}\n", name_of_prefix(reader.prefix()),
             step ? fmt::format("step {}, ", *step) : std::string(), reader.entries().size(),
             size_text(static_cast<double>(total_bytes(reader))));
  if (!manifest) {
    fmt::print("without a manifest: not written by Fermata, or written anew by something else\n");
    return;
  }
  fmt::print("written by Fermata {} at {}\n", manifest->fermata_version, utc_text(manifest->unix_seconds));
  if (manifest->value) {
    fmt::print("value: {}\n", *manifest->value);
  }
  for (const auto& [name, state] : manifest->state.hooks) {
    fmt::print("state of {}: {}\n", name, state_text(state));
  }
  if (!manifest->state.engine.values().empty()) {
    fmt::print("state of the engine: {}\n", state_text(manifest->state.engine));
  }
}

void print_text(const CheckpointReader& reader, const std::optional<CheckpointManifest>& manifest) {
  print_head(reader, manifest);
  Table table({{"tensor"}, {"type"}, {"shape"}, {"bytes", Align::kRight}, {"crc32c"}});
  for (const CheckpointReader::Entry& entry : reader.entries()) {
    table.add(
        {one_line(entry.name), dtype_name(entry.dtype), shape_text(entry.shape),
         fmt::format("{}", entry.size_bytes),
         entry.crc32c ? fmt::format("{:08x}", *entry.crc32c) : fmt::format("{} parts", entry.num_parts)});
  }
  fmt::print("\n{}", table.text());
}

}  // namespace

int run_checkpoint_show(const std::vector<std::string>& args) {
  bool json = false;
  const CommandSpec command = {
      "fermata checkpoint show",
      "Shows the tensors of a checkpoint with type, shape, size and checksum, and what was "
      "kept beside them.",
      {{"Options", {json_option(json)}}},
      {checkpoint_operand("PATH")}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  const CheckpointReader reader(find_checkpoint(line->operands[0]));
  const std::optional<CheckpointManifest> manifest = read_manifest(reader.prefix());
  if (json) {
    print_json(reader, manifest);
  } else {
    print_text(reader, manifest);
  }
  return 0;
}

}  // namespace fermata::cli
