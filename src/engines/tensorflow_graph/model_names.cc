// How a model's inputs, outputs and loss are found by name.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/nearest_names.h"
#include "engines/tensorflow_graph/collection_names.h"
#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/model_state.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

using Entries = std::vector<Signature::Entry> Signature::*;

// The tensor behind `name` in one signature.
const std::string* entry_in(const Signature* signature, Entries entries, std::string_view name) {
  if (signature == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(signature->*entries, name, &Signature::Entry::name);
  return found == (signature->*entries).end() ? nullptr : &found->tensor;
}

// The tensor behind `name` if only one signature has it.
const std::string* entry_in_any(const std::vector<Signature>& signatures, Entries entries,
                                std::string_view name) {
  const std::string* tensor = nullptr;
  for (const Signature& signature : signatures) {
    if (const std::string* const found = entry_in(&signature, entries, name)) {
      if (tensor != nullptr) {
        return nullptr;
      }
      tensor = found;
    }
  }
  return tensor;
}

std::vector<std::string> entry_names(const Signature* signature, Entries entries) {
  std::vector<std::string> names;
  if (signature != nullptr) {
    for (const Signature::Entry& entry : signature->*entries) {
      names.push_back(entry.name);
    }
  }
  return names;
}

Output find(const Model& model, const Signature* train, const std::vector<Signature>& signatures,
            Entries entries, std::string_view name) {
  const std::string* tensor = entry_in(train, entries, name);
  if (tensor == nullptr) {
    if (const std::optional<Output> found = model.find_tensor(name)) {
      return *found;
    }
    tensor = entry_in_any(signatures, entries, name);
  }
  if (tensor == nullptr) {
    throw Error(Code::kNotFound, {});
  }
  return model.tensor(*tensor);
}

bool is_float(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf ||
         dtype == DType::kBFloat16;
}

}  // namespace

Output Model::find_input(std::string_view name) const {
  const Signature* const train = impl_->signature(impl_->options.train_signature);
  try {
    return find(*this, train, impl_->signatures, &Signature::inputs, name);
  } catch (const Error&) {
    std::vector<std::string> names = entry_names(train, &Signature::inputs);
    for (const Output& placeholder : placeholders()) {
      names.push_back(operation_name(placeholder.node));
    }
    throw Error(Code::kNotFound,
                fmt::format("the model has no input '{}'{}", name, did_you_mean(name, names)));
  }
}

Output Model::find_output(std::string_view name) const {
  const Signature* const train = impl_->signature(impl_->options.train_signature);
  try {
    return find(*this, train, impl_->signatures, &Signature::outputs, name);
  } catch (const Error&) {
    std::vector<std::string> names = entry_names(train, &Signature::outputs);
    for (const Operation& operation : operations()) {
      if (num_outputs(operation.node) > 0) {
        names.push_back(operation_name(operation.node));
      }
    }
    throw Error(Code::kNotFound,
                fmt::format("the model has no tensor '{}'{}", name, did_you_mean(name, names)));
  }
}

std::optional<Output> Model::loss() const {
  const std::vector<std::string> listed =
      names_of_collection(*impl_->graph, impl_->collections, collections::kLosses);
  if (listed.size() == 1) {
    return find_tensor(listed.front());
  }
  if (const std::string* const tensor =
          entry_in(impl_->signature(impl_->options.train_signature), &Signature::outputs, "loss")) {
    return find_tensor(*tensor);
  }
  if (const std::optional<Output> named = find_tensor("loss:0"); named && is_float(spec(*named).dtype)) {
    return named;
  }
  return listed.empty() ? std::nullopt : find_tensor(listed.front());
}

std::vector<Output> Model::placeholders() const {
  std::set<std::string> saver_names;
  if (impl_->saver) {
    saver_names.insert(impl_->saver->filename_tensor_name);
  }
  std::set<std::string> train_inputs;
  if (const Signature* const train = impl_->signature(impl_->options.train_signature)) {
    for (const Signature::Entry& entry : train->inputs) {
      train_inputs.insert(entry.tensor);
    }
  }
  std::vector<Output> found;
  for (const Operation& operation : operations()) {
    if (impl_->graph->type(reinterpret_cast<Node>(operation.node)) != "Placeholder") {
      continue;
    }
    const Output output{this, operation.node, 0};
    // Of a SavedModel, those of other signatures have no part in training.
    const bool is_other = !train_inputs.empty() && !train_inputs.contains(output.name());
    if (!saver_names.contains(output.name()) && !is_other) {
      found.push_back(output);
    }
  }
  return found;
}

}  // namespace fermata::tensorflow
