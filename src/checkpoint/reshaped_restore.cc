#include "checkpoint/reshaped_restore.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "checkpoint/checkpoint_draft.h"
#include "fermata/graph.h"
#include "fermata/tensor.h"

namespace fermata {
namespace {

using Names = std::map<std::string, std::string>;

// Name in the checkpoint → variable; empty: all, under their own.
Names names_of(const SaverDef& saver, const std::optional<Names>& var_list) {
  if (var_list) {
    return *var_list;
  }
  Names names;
  for (std::size_t i = 0; i < std::min(saver.keys.size(), saver.variables.size()); ++i) {
    names.emplace(saver.keys[i], saver.variables[i]);
  }
  return names;
}

// Parts of partitioned variables keep what they were stored in.
std::map<std::string, Shape> known_shapes(const Graph& graph, const Names& names) {
  std::map<std::string, Shape> shapes;
  for (const VariableInfo& variable : graph.variables()) {
    const std::optional<Shape>& shape = variable.spec.shape;
    const bool known =
        shape && std::all_of(shape->begin(), shape->end(), [](std::int64_t size) { return size >= 0; });
    if (!known || variable.local || !variable.slice.empty()) {
      continue;
    }
    if (names.empty()) {
      shapes.emplace(variable.checkpoint_key, *shape);
    }
    for (const auto& [key, name] : names) {
      if (name == variable.name || name == variable.checkpoint_key) {
        shapes.emplace(key, *shape);
      }
    }
  }
  return shapes;
}

}  // namespace

bool restore_reshaped(FileSystem& files, Session& session, const SaverDef& saver,
                      const std::optional<Names>& var_list, const std::string& prefix) {
  const std::map<std::string, Shape> shapes = known_shapes(session.graph(), names_of(saver, var_list));
  const BundleReader stored = BundleReader::open(prefix, files);
  const auto differs = [&](const BundleEntry& entry) {
    const auto wanted = shapes.find(entry.name);
    return wanted != shapes.end() && wanted->second != entry.shape;
  };
  const auto fits = [&](const BundleEntry& entry) {
    return !differs(entry) || num_elements(shapes.at(entry.name)) == num_elements(entry.shape);
  };
  const std::vector<BundleEntry>& entries = stored.entries();
  if (std::none_of(entries.begin(), entries.end(), differs) ||
      !std::all_of(entries.begin(), entries.end(), fits)) {
    return false;
  }
  const CheckpointDraft copy(files, prefix);
  BundleWriter writer(copy.aside_prefix(), files);
  for (const BundleEntry& entry : entries) {
    const Tensor value = stored.read(entry.name);
    const TensorView view = value.view();
    writer.add(entry.name,
               differs(entry) ? TensorView(view.dtype(), shapes.at(entry.name), view.data()) : view);
  }
  writer.finish();
  session.restore_variables(saver, copy.aside_prefix());
  return true;
}

}  // namespace fermata
