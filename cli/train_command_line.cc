#include "cli/train_command_line.h"

#include <algorithm>

#include "cli/text.h"

namespace fermata::cli {
namespace {

// "tower_0/x:1" is read from tower_0_x_1.npy: a name may hold what a file's name cannot.
std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), ':', '_');
  return name + ".npy";
}

bool takes_rows(const TensorSpec& spec) { return !spec.shape || !spec.shape->empty(); }

bool has_fixed_rows(const TensorSpec& spec) {
  return spec.shape && !spec.shape->empty() && spec.shape->front() >= 0;
}

std::string plain_value(DType dtype) {
  if (dtype == DType::kString) {
    return "text";
  }
  return dtype == DType::kBool ? "true" : "1";
}

void add(std::string& line, const std::string& option, const std::string& value) {
  line += " " + option + " " + shell_word(value);
}

}  // namespace

std::string train_command_line(const Inspection& inspection, const std::vector<std::string>& options) {
  std::string line = "fermata train " + shell_word(inspection.model);
  for (const std::string& option : options) {
    line += " " + shell_word(option);
  }
  bool fixed_rows = false;
  for (const Inspection::Input& input : inspection.inputs) {
    if (takes_rows(input.spec)) {
      add(line, "--input", input.name + "=" + file_name(input.name));
      fixed_rows = fixed_rows || has_fixed_rows(input.spec);
    } else {
      add(line, "--feed", input.name + "=" + plain_value(input.spec.dtype));
    }
  }
  if (fixed_rows) {
    line += " --drop-remainder";
  }
  return line + " --last-step 1000 --checkpoint-dir run";
}

}  // namespace fermata::cli
