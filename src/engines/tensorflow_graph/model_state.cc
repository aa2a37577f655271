#include "engines/tensorflow_graph/model_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/tensorflow_graph/collection_names.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

// Under this name TensorFlow 1's builder keeps a train op among the signatures.
constexpr std::string_view kReservedTrainOp = "__saved_model_train_op";

Fetch as_fetch(const Model& model, const std::string& name) {
  if (name.find(':') == std::string::npos) {
    return Fetch(model.operation(name));
  }
  return Fetch(model.tensor(name));
}

// Signatures come from Python with the loss under its name; else the first by name, so that it is always the
// same.
const Signature::Entry* entry_that_trains(const Signature& signature) {
  const auto loss = std::ranges::find(signature.outputs, "loss", &Signature::Entry::name);
  if (loss != signature.outputs.end()) {
    return &*loss;
  }
  return signature.outputs.empty() ? nullptr : &signature.outputs.front();
}

}  // namespace

StepSource Model::Impl::step() const {
  if (options.count_steps) {
    return {StepSource::Kind::kCounted, {}, {}};
  }
  if (!options.global_step.empty()) {
    return named_step(*graph, options.global_step);
  }
  StepSource found = find_step(*graph, collections);
  if (found.kind == StepSource::Kind::kNone && is_saved_model) {
    found = guessed_step(*graph, variables);
  }
  return found;
}

const Signature* Model::Impl::signature(std::string_view key) const {
  const auto found = std::ranges::find(signatures, key, &Signature::key);
  return found == signatures.end() ? nullptr : &*found;
}

std::optional<Fetch> Model::Impl::train_fetch_of_collection() const {
  std::vector<std::string> names;
  for (const std::string& name : names_of_collection(*graph, collections, collections::kTrainOp)) {
    if (std::ranges::count(names, name) == 0) {
      names.push_back(name);
    }
  }
  if (names.size() > 1) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("the collection 'train_op' must hold one operation, but it holds {}: {}; say which one "
                    "trains (--train-op)",
                    names.size(), fmt::join(names, ", ")));
  }
  return names.empty() ? std::nullopt : std::optional(as_fetch(*model, names.front()));
}

std::optional<Fetch> Model::Impl::train_fetch_of_signature() const {
  if (!is_saved_model) {
    return std::nullopt;
  }
  if (const auto reserved = meta.signatures.find(std::string(kReservedTrainOp));
      reserved != meta.signatures.end() && !reserved->second.outputs.empty()) {
    return as_fetch(*model, reserved->second.outputs.begin()->second.name);
  }
  const Signature* const train = signature(options.train_signature);
  const Signature::Entry* const entry = train == nullptr ? nullptr : entry_that_trains(*train);
  return entry == nullptr ? std::nullopt : std::optional(as_fetch(*model, entry->tensor));
}

std::optional<Fetch> Model::Impl::train_fetch() const {
  if (!options.train_op.empty()) {
    return as_fetch(*model, options.train_op);
  }
  std::optional<Fetch> found = train_fetch_of_collection();
  return found ? found : train_fetch_of_signature();
}

Node Model::Impl::train_node() const {
  try {
    const std::optional<Fetch> fetch = train_fetch();
    if (!fetch) {
      return nullptr;
    }
    if (const auto* operation = std::get_if<Operation>(&fetch->what())) {
      return reinterpret_cast<Node>(operation->node);
    }
    return reinterpret_cast<Node>(std::get<Output>(fetch->what()).node);
  } catch (const Error&) {
    return nullptr;  // Who asks for the train op is told.
  }
}

std::vector<Variable> Model::Impl::variables_that(bool local) const {
  std::vector<Variable> some;
  std::ranges::copy_if(variables, std::back_inserter(some),
                       [&](const Variable& v) { return v.info.local == local; });
  return some;
}

std::vector<wire::QueueRunnerDefinition> Model::Impl::queue_runners() const {
  std::vector<wire::QueueRunnerDefinition> runners;
  if (const auto found = collections.find("queue_runners"); found != collections.end()) {
    for (const std::string& message : found->second.messages) {
      runners.push_back(wire::read_queue_runner_definition(message));
    }
  }
  return runners;
}

}  // namespace fermata::tensorflow
