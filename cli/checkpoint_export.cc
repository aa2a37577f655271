// The command `fermata checkpoint export`.
#include <fmt/format.h>

#include "cli/checkpoint_command.h"
#include "cli/npy_writer.h"
#include "cli/screen.h"
#include "cli/usage_error.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

std::vector<std::string> names_of(const CheckpointReader& reader, const std::vector<std::string>& wanted) {
  if (!wanted.empty()) {
    return wanted;
  }
  std::vector<std::string> all;
  for (const CheckpointReader::Entry& entry : reader.entries()) {
    all.push_back(entry.name);
  }
  return all;
}

void export_one(const CheckpointReader& reader, const std::vector<std::string>& names,
                const std::string& path) {
  if (names.size() != 1) {
    throw UsageError(
        fmt::format("a .npy file holds one array, but the checkpoint has {}; name one with --tensor, or "
                    "write a .npz file",
                    names.size()));
  }
  const Tensor value = reader.get_tensor(names.front());
  const NpyContent content = npy_content(value.view());
  OutputFile file(path);
  file.write(content.header);
  file.write(content.values());
  file.finish();
}

void export_all(const CheckpointReader& reader, const std::vector<std::string>& names,
                const std::string& path) {
  NpzWriter writer(path);
  for (const std::string& name : names) {
    writer.add(name, reader.get_tensor(name).view());
  }
  writer.finish();
}

}  // namespace

int run_checkpoint_export(const std::vector<std::string>& args) {
  std::vector<std::string> wanted;
  const SetOption add_wanted = [&](const std::string&, const std::string& value) { wanted.push_back(value); };
  const CommandSpec command = {
      "fermata checkpoint export",
      "Writes tensors of a checkpoint to a file for NumPy: all as FILE.npz, or one as FILE.npy.",
      {{"Options",
        {{"--tensor", "NAME", "this one; may be given several times (default: all)", add_wanted, true}}}},
      {checkpoint_operand("PATH"), {"FILE", "ends in .npy or .npz", "the FILE.npy or FILE.npz is missing"}}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  const std::string& file = line->operands[1];
  if (!file.ends_with(".npy") && !file.ends_with(".npz")) {
    throw UsageError(fmt::format("the name of the file must end in .npy or .npz, found '{}'", file));
  }
  const CheckpointReader reader(find_checkpoint(line->operands[0]));
  const std::vector<std::string> names = names_of(reader, wanted);
  if (file.ends_with(".npy")) {
    export_one(reader, names, file);
  } else {
    export_all(reader, names, file);
  }
  return 0;
}

}  // namespace fermata::cli
