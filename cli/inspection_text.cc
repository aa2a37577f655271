#include <fmt/format.h>

#include <algorithm>

#include "cli/inspection.h"
#include "cli/text.h"

namespace fermata::cli {
namespace {

constexpr std::size_t kNamesShown = 6;

std::string one_line(std::string_view title, const std::string& value) {
  return fmt::format("{:<26} {}\n", title, value.empty() ? "none" : value);
}

std::string joined(const std::vector<std::string>& names) {
  if (names.empty()) {
    return "(messages without names)";
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kNamesShown) {
    text += fmt::format(" and {} more", names.size() - kNamesShown);
  }
  return text;
}

std::size_t widest(const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) {
    width = std::max(width, name.size());
  }
  return width;
}

std::string inputs_text(const Inspection& found) {
  if (found.inputs.empty()) {
    return one_line("inputs", found.own_input ? "in the graph itself" : "");
  }
  std::string text = "inputs\n";
  for (const Inspection::Input& input : found.inputs) {
    const bool other = input.tensor != input.name + ":0";
    text +=
        fmt::format("  {:<24} {}{}\n", input.name, spec_text(input.spec), other ? "  " + input.tensor : "");
  }
  return text;
}

std::string saver_text(const Inspection& found) {
  if (!found.saver) {
    return one_line("saver", "");
  }
  return one_line(
      "saver", fmt::format("{}, {}, {}{}", found.saver->filename_tensor_name, found.saver->save_tensor_name,
                           found.saver->restore_op_name, found.saver->sharded ? ", sharded" : ""));
}

std::string entries_text(std::string_view title, const std::vector<tensorflow::Signature::Entry>& entries) {
  std::string text;
  for (const tensorflow::Signature::Entry& entry : entries) {
    text += fmt::format("    {:<6} {:<15} {}  {}\n", title, entry.name, spec_text(entry.spec), entry.tensor);
  }
  return text;
}

std::string signatures_text(const Inspection& found) {
  std::string text = found.signatures.empty() ? std::string() : std::string("signatures\n");
  for (const tensorflow::Signature& signature : found.signatures) {
    text += fmt::format("  {}\n", signature.key);
    text += entries_text("input", signature.inputs) + entries_text("output", signature.outputs);
  }
  return text;
}

std::string collections_text(const Inspection& found) {
  std::string text = found.collections.empty() ? std::string() : std::string("collections\n");
  for (const auto& [key, names] : found.collections) {
    text += fmt::format("  {:<24} {}\n", key, joined(names));
  }
  return text;
}

std::string variables_text(const Inspection& found) {
  double total = 0;
  std::vector<std::string> names;
  for (const Inspection::Variable& variable : found.variables) {
    total += static_cast<double>(variable.bytes.value_or(0));
    names.push_back(variable.info.name);
  }
  std::string text = fmt::format("variables{:<18}{}, {}\n", "", found.variables.size(), size_text(total));
  const std::size_t width = widest(names);
  for (const Inspection::Variable& variable : found.variables) {
    text +=
        fmt::format("  {:<{}}  {}{}{}\n", variable.info.name, width, spec_text(variable.info.spec),
                    variable.bytes ? "  " + size_text(static_cast<double>(*variable.bytes)) : std::string(),
                    variable.info.local ? "  local" : "");
  }
  return text;
}

std::string list_text(std::string_view title, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += fmt::format("  {}\n", item);
  }
  return text.empty() ? text : fmt::format("{}\n{}", title, text);
}

}  // namespace

std::string inspection_text(const Inspection& found) {
  std::string text = fmt::format("{}: a {}, read with TensorFlow {}\n\n", found.model,
                                 found.saved_model ? "SavedModel" : "MetaGraph", found.tensorflow_version);
  text += list_text("warnings", found.warnings);
  text += inputs_text(found);
  text += one_line("train op", found.train_op);
  text += one_line("loss", found.loss);
  text += one_line("global step", found.global_step);
  for (const auto& [key, name] : found.pieces) {
    text += one_line(key, name);
  }
  text += saver_text(found);
  text += signatures_text(found);
  text += collections_text(found);
  text += variables_text(found);
  if (!found.unrepeatable.empty()) {
    text += one_line("differ in a resumed run", joined(found.unrepeatable));
  }
  text += list_text("missing for training", found.missing);
  if (!found.command.empty()) {
    text += fmt::format("\nThis trains it:\n  {}\n", found.command);
  }
  return text;
}

}  // namespace fermata::cli
