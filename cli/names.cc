#include "cli/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

using tensorflow::Model;
using tensorflow::Signature;
using Entries = std::vector<Signature::Entry>;

const Signature* find_signature(const Model& model, const std::string& key) {
  const auto& all = model.signatures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Signature& s) { return s.key == key; });
  return found == all.end() ? nullptr : &*found;
}

const Signature::Entry* find_entry(const Entries& entries, const std::string& name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

// The name that the entries have for a tensor, else its own.
std::string name_in(const Entries& entries, const Output& tensor) {
  const std::string wanted = tensor.name();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.tensor == wanted; });
  return found == entries.end() ? plain_name(tensor) : found->name;
}

bool same_names(const Entries& a, const Entries& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Signature::Entry& entry) {
           return find_entry(b, entry.name) != nullptr;
         });
}

// Where a tensor and not an operation makes the step, fetching any result of the same operation makes one
// too.
bool trains(const Model& model, const Output& tensor) {
  if (!model.has_train_op()) {
    return false;
  }
  const auto what = model.train_op().what();
  const Output* step = std::get_if<Output>(&what);
  return step != nullptr && step->node == tensor.node;
}

// "serving_default" may be the function that trains under a second name: the model's maker gets it without
// asking.
bool is_copy_of(const Signature& candidate, const Signature* train) {
  return train != nullptr && candidate.key == "serving_default" &&
         same_names(candidate.inputs, train->inputs) && same_names(candidate.outputs, train->outputs);
}

bool offers(const Signature& signature, const std::vector<std::string>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const std::string& name) { return find_entry(signature.outputs, name) != nullptr; });
}

const Signature* evaluation_signature(const Model& model, const std::string& train_key,
                                      const std::vector<std::string>& values) {
  const Signature* train = find_signature(model, train_key);
  const Signature* first = nullptr;
  for (const Signature& signature : model.signatures()) {
    if (&signature == train || is_copy_of(signature, train) || !offers(signature, values)) {
      continue;
    }
    if (signature.key == "evaluate") {
      return &signature;
    }
    first = first == nullptr ? &signature : first;
  }
  return first;
}

// The value of a variable that is named by its handle: TensorFlow gives each one a read of this name.
Output value_of(const Model& model, const Output& tensor) {
  if (model.spec(tensor).dtype != DType::kResource) {
    return tensor;
  }
  return model.find_tensor(model.operation_name(tensor.node) + "/Read/ReadVariableOp:0").value_or(tensor);
}

}  // namespace

std::vector<NamedOutput> find_values(const Model& model, const std::vector<std::string>& names) {
  std::vector<NamedOutput> values;
  for (const std::string& name : names) {
    values.push_back({name, value_of(model, model.find_output(name))});
  }
  return values;
}

std::string plain_name(const Output& tensor) {
  const std::string name = tensor.name();
  return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
}

std::optional<NamedOutput> default_value(const Model& model, const std::string& train_signature) {
  const std::optional<Output> loss = model.loss();
  if (!loss) {
    return std::nullopt;
  }
  const Signature* train = find_signature(model, train_signature);
  return NamedOutput{train != nullptr ? name_in(train->outputs, *loss) : plain_name(*loss), *loss};
}

std::string input_name(const Model& model, const std::string& train_signature, const Output& tensor) {
  const Signature* train = find_signature(model, train_signature);
  return train != nullptr ? name_in(train->inputs, tensor) : plain_name(tensor);
}

EvaluationNames::EvaluationNames(const Model& model, const std::string& train_signature,
                                 const std::vector<std::string>& values)
    : model_(model), signature_(evaluation_signature(model, train_signature, values)) {
  for (const std::string& name : values) {
    const Output tensor = signature_ != nullptr ? model.tensor(find_entry(signature_->outputs, name)->tensor)
                                                : value_of(model, model.find_output(name));
    if (trains(model, tensor)) {
      throw UsageError(
          fmt::format("--evaluate {}: '{}' is a result of the step that trains, so computing it would "
                      "train; name a value of another signature",
                      name, name));
    }
    values_.push_back({name, tensor});
  }
}

Output EvaluationNames::input(const std::string& name) const {
  const Signature::Entry* entry = signature_ == nullptr ? nullptr : find_entry(signature_->inputs, name);
  return entry != nullptr ? model_.tensor(entry->tensor) : model_.find_input(name);
}

}  // namespace fermata::cli
