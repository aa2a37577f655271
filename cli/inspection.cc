#include "cli/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/names.h"
#include "cli/train_command_line.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

using tensorflow::Model;
using tensorflow::Signature;

std::optional<std::int64_t> byte_size(const TensorSpec& spec) {
  const bool known = spec.shape && std::all_of(spec.shape->begin(), spec.shape->end(),
                                               [](std::int64_t size) { return size >= 0; });
  if (!known || dtype_size(spec.dtype) == 0) {
    return std::nullopt;
  }
  return num_elements(*spec.shape) * static_cast<std::int64_t>(dtype_size(spec.dtype));
}

std::vector<Inspection::Input> find_inputs(const Model& model, const std::string& signature) {
  std::vector<Inspection::Input> inputs;
  for (const Signature& known : model.signatures()) {
    if (known.key == signature) {
      for (const Signature::Entry& entry : known.inputs) {
        inputs.push_back({entry.name, entry.tensor, entry.spec});
      }
    }
  }
  if (inputs.empty()) {
    for (const Output& placeholder : model.placeholders()) {
      inputs.push_back({plain_name(placeholder), placeholder.name(), model.spec(placeholder)});
    }
  }
  return inputs;
}

std::vector<std::pair<std::string, std::string>> find_pieces(const Model& model) {
  std::vector<std::pair<std::string, std::string>> pieces;
  for (const std::string_view key :
       {collections::kInitOp, collections::kReadyOp, collections::kReadyForLocalInitOp,
        collections::kLocalInitOp, collections::kSummaryOp}) {
    for (const std::string& name : model.collection(key)) {
      pieces.emplace_back(key, name);
    }
  }
  return pieces;
}

// The last part of a name: "train" of "optimizer/train".
std::string_view base_name(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// An operation that by its name may be the one that trains; empty if there is none.
std::string likely_train_op(const Model& model) {
  constexpr std::array<std::string_view, 8> kNames = {
      "train", "train_op", "minimize", "apply_gradients", "GradientDescent", "Adam", "Momentum", "RMSProp"};
  const std::vector<Operation> operations = model.operations();
  for (const std::string_view wanted : kNames) {
    for (const Operation& operation : operations) {
      if (base_name(operation.name()) == wanted && model.num_outputs(operation.node) == 0) {
        return operation.name();
      }
    }
  }
  return {};
}

// Adds what is missing, and the options that would give it. False if no option can.
bool find_train_op(const Model& model, Inspection& found, std::vector<std::string>& options) {
  if (model.has_train_op()) {
    found.train_op = model.train_op().name();
    return true;
  }
  try {
    static_cast<void>(model.train_op());
  } catch (const Error& error) {
    found.missing.emplace_back(error.what());
  }
  const std::string likely = model.is_saved_model() ? std::string() : likely_train_op(model);
  if (!likely.empty()) {
    options.insert(options.end(), {"--train-op", likely});
  }
  return !likely.empty();
}

bool find_global_step(const Model& model, Inspection& found, std::vector<std::string>& options) {
  try {
    if (model.has_global_step()) {
      found.global_step = model.global_step_name();
      return true;
    }
    found.missing.emplace_back("a variable that counts the steps: give --global-step NAME or --count-steps");
    options.emplace_back("--count-steps");
    return true;
  } catch (const Error& error) {  // Several, or one that cannot count.
    found.missing.emplace_back(error.what());
    return false;
  }
}

}  // namespace

Inspection inspect(Model& model, const std::string& path, const std::string& signature) {
  Inspection found;
  found.model = path;
  found.saved_model = model.is_saved_model();
  found.tensorflow_version = model.runtime_version();
  found.inputs = find_inputs(model, signature);
  if (const std::optional<NamedOutput> loss = default_value(model, signature)) {
    found.loss = loss->name;
  }
  found.pieces = find_pieces(model);
  found.signatures = model.signatures();
  for (const std::string& key : model.collection_keys()) {
    found.collections.emplace_back(key, model.collection(key));
  }
  for (VariableInfo& variable : model.variables()) {
    const std::optional<std::int64_t> bytes = byte_size(variable.spec);
    found.variables.push_back({std::move(variable), bytes});
  }
  found.own_input = model.has_own_input();
  found.unrepeatable = model.unrepeatable_operations();
  found.warnings = model.warnings();
  std::vector<std::string> options;
  if (signature != "train") {
    options.insert(options.end(), {"--signature", signature});
  }
  const bool trainable = find_train_op(model, found, options);
  if (find_global_step(model, found, options) && trainable) {
    found.command = train_command_line(found, options);
  }
  // Last: a graph without a saver gets one here.
  found.saver = model.default_saver();
  return found;
}

}  // namespace fermata::cli
