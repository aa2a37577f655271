#include <algorithm>
#include <utility>

#include "engines/native/graph_impl.h"
#include "fermata/native.h"

namespace fermata::native {

std::string_view Graph::engine() const noexcept { return "native"; }

std::optional<Operation> Graph::find_operation(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  if (found == impl_->by_name.end()) {
    return std::nullopt;
  }
  return Operation{this, found->second};
}

std::vector<Operation> Graph::operations() const {
  std::vector<Operation> all;
  for (std::size_t id = 0; id < impl_->nodes.size(); ++id) {
    all.push_back({this, id});
  }
  return all;
}

std::string Graph::operation_name(std::uintptr_t node) const { return impl_->node(node).name; }

std::string Graph::operation_type(std::uintptr_t node) const { return std::string(impl_->node(node).type); }

std::int32_t Graph::num_outputs(std::uintptr_t node) const {
  return static_cast<std::int32_t>(impl_->node(node).outputs.size());
}

std::optional<std::int32_t> Graph::output_index(std::uintptr_t node, std::string_view name) const {
  const std::vector<std::string>& names = impl_->node(node).output_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(found - names.begin());
}

TensorSpec Graph::spec(const Output& output) const {
  impl_->require_own(*this, output);
  return impl_->node(output.node).outputs[static_cast<std::size_t>(output.index)];
}

std::vector<VariableInfo> Graph::variables() const {
  std::vector<VariableInfo> infos;
  for (const Variable* variable : impl_->all_variables()) {
    VariableInfo info;
    info.name = variable->name();
    info.spec = variable->spec();
    info.trainable = variable->trainable && !variable->local;
    info.local = variable->local;
    info.checkpoint_key = variable->local ? std::string() : variable->name();
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<std::string> Graph::collection_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, names] : impl_->collections) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> Graph::collection(std::string_view key) const {
  const auto found = impl_->collections.find(key);
  return found == impl_->collections.end() ? std::vector<std::string>() : found->second;
}

void Graph::add_to_collection(std::string_view key, std::string_view name) {
  require_open(name);
  impl_->add_to_collection(key, name);
}

bool Graph::has_global_step() const { return impl_->find_step().has_value(); }

std::string Graph::global_step_name() const {
  const std::optional<std::size_t> step = impl_->find_step();
  return step ? impl_->nodes[*step].name : std::string();
}

}  // namespace fermata::native
