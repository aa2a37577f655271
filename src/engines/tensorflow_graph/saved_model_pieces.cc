#include "engines/tensorflow_graph/saved_model_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engines/tensorflow_graph/collection_names.h"
#include "engines/tensorflow_graph/graph_index.h"
#include "platform/file_system.h"
#include "wire/saved_model.h"

namespace fermata::tensorflow {
namespace {

// What TensorFlow's builders call the operation that a loader runs once the values are there.
constexpr std::string_view kInitSignature = "__saved_model_init_op";
constexpr std::string_view kMainOp = "saved_model_main_op";
constexpr std::string_view kLegacyInitOp = "legacy_init_op";

Node find_main_op(const Model::Impl& model) {
  const auto signature = model.meta.signatures.find(std::string(kInitSignature));
  if (signature != model.meta.signatures.end() && !signature->second.outputs.empty()) {
    const std::string& name = signature->second.outputs.begin()->second.name;
    return model.graph->find(name.substr(0, name.rfind(':')));
  }
  for (const std::string_view key : {kMainOp, kLegacyInitOp}) {
    const std::vector<std::string> names = names_of_collection(*model.graph, model.collections, key);
    if (!names.empty()) {
      return model.graph->find(names.front());
    }
  }
  return nullptr;
}

void find_stored_values(Model::Impl& model, const std::string& folder) {
  const std::string prefix = folder + "/variables/variables";
  if (!model.saver || !FileSystem::system().info(prefix + ".index")) {
    return;
  }
  Node const restore = model.graph->find(model.saver->restore_op_name);
  const std::optional<NodeOutput> filename = model.graph->find_output(model.saver->filename_tensor_name);
  if (restore != nullptr && filename) {
    model.saved_init = restore;
    model.own_feeds[restore] = {{*filename, Tensor::string_scalar(prefix)}};
  }
}

void find_assets(Model::Impl& model, const std::string& folder) {
  if (model.main_op == nullptr) {
    return;
  }
  for (const wire::AssetDefinition& asset : model.meta.assets) {
    if (const std::optional<NodeOutput> tensor = model.graph->find_output(asset.tensor)) {
      model.own_feeds[model.main_op].emplace_back(
          *tensor, Tensor::string_scalar(folder + "/assets/" + asset.filename));
    }
  }
}

// The pieces that a trainer left behind start from new values; a SavedModel starts from its own.
void replace_collections(Model::Impl& model) {
  if (model.saved_init != nullptr) {
    model.collections.erase(std::string(collections::kInitOp));
  }
  if (model.main_op != nullptr) {
    model.collections.erase(std::string(collections::kLocalInitOp));
  }
}

// Variables of a TensorFlow 2 model are those that it stores; others in its graph are left-overs.
void keep_stored_variables(Model::Impl& model) {
  if (model.variables_are_listed || model.saved_init == nullptr) {
    return;
  }
  const std::vector<RestoredEntry> entries =
      find_restored_entries(GraphIndex(*model.graph), model.functions, model.saved_init);
  if (entries.empty()) {
    return;
  }
  std::erase_if(model.variables, [&](Variable& variable) {
    const auto entry = std::ranges::find(entries, variable.node, &RestoredEntry::variable);
    if (entry == entries.end()) {
      return true;
    }
    variable.info.checkpoint_key = entry->key;
    return false;
  });
  std::set<std::string> trainable;
  for (const wire::SavedVariable& saved : wire::read_saved_variables(model.meta.object_graph)) {
    if (saved.trainable) {
      trainable.insert(saved.name);
    }
  }
  for (Variable& variable : model.variables) {
    variable.info.trainable = trainable.contains(variable.info.name);
  }
}

std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min<std::size_t>(names.size(), 3);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format("'{}'{}", fmt::join(first, "', '"), shown < names.size() ? " …" : "");
}

// Names that several stored objects share: one weight, stored twice.
std::vector<std::string> stored_twice(const Model::Impl& model) {
  std::set<std::string> seen;
  std::vector<std::string> twice;
  for (const wire::SavedVariable& saved : wire::read_saved_variables(model.meta.object_graph)) {
    if (saved.trainable && !saved.name.empty() && !seen.insert(saved.name).second &&
        std::ranges::count(twice, saved.name) == 0) {
      twice.push_back(saved.name);
    }
  }
  return twice;
}

// Variables that the train call is given, but that no value comes to.
std::vector<std::string> never_initialized(const Model::Impl& model) {
  std::vector<std::string> names;
  Node const train = model.train_node();
  if (train == nullptr || model.saved_init == nullptr || model.variables_are_listed) {
    return names;
  }
  for (const NodeOutput& input : model.graph->inputs(train)) {
    if (is_resource_variable(*model.graph, input.node) &&
        std::ranges::find(model.variables, input.node, &Variable::node) == model.variables.end()) {
      names.push_back(model.graph->name(input.node));
    }
  }
  return names;
}

std::set<Node> variables_of_call(const Model::Impl& model, const Signature& signature) {
  std::set<Node> variables;
  for (const Signature::Entry& entry : signature.outputs) {
    if (const std::optional<NodeOutput> output = model.graph->find_output(entry.tensor)) {
      for (const NodeOutput& input : model.graph->inputs(output->node)) {
        if (is_resource_variable(*model.graph, input.node)) {
          variables.insert(input.node);
        }
      }
    }
  }
  return variables;
}

bool default_signature_trains(const Model::Impl& model) {
  const Signature* const train = model.signature(model.options.train_signature);
  const Signature* const usual = model.signature("serving_default");
  if (train == nullptr || usual == nullptr || train == usual) {
    return false;
  }
  const std::set<Node> variables = variables_of_call(model, *train);
  return !variables.empty() && variables == variables_of_call(model, *usual);
}

}  // namespace

void find_saved_model_pieces(Model::Impl& model, const std::string& folder) {
  model.main_op = find_main_op(model);
  find_stored_values(model, folder);
  find_assets(model, folder);
  replace_collections(model);
  keep_stored_variables(model);
}

void add_saved_model_warnings(Model::Impl& model) {
  if (const std::vector<std::string> names = never_initialized(model); !names.empty()) {
    model.warnings.push_back(
        fmt::format("the train signature reads {} variables that the model does not store ({}), so each of "
                    "its runs will fail; a "
                    "module that holds a Keras model itself is saved like that: hold its tf.Variables in the "
                    "module and save "
                    "it again",
                    names.size(), some_of(names)));
  }
  if (const std::vector<std::string> names = stored_twice(model); !names.empty()) {
    model.warnings.push_back(
        fmt::format("the model stores {} weights twice ({}), as Keras's ExportArchive does: training changes "
                    "the copy that the "
                    "signatures use, and Python code that restores the other copy does not see it; hold the "
                    "tf.Variables in a "
                    "tf.Module and save that to have each once",
                    names.size(), some_of(names)));
  }
  if (default_signature_trains(model)) {
    model.warnings.push_back(
        "the signature 'serving_default' uses the same variables as the train signature and may train as "
        "well: "
        "Keras's ExportArchive makes it out of its first endpoint");
  }
}

}  // namespace fermata::tensorflow
