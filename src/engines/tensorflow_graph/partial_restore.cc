#include "engines/tensorflow_graph/partial_restore.h"

#include <algorithm>
#include <utility>

#include "engines/tensorflow_graph/node_builder.h"
#include "fermata/error.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

Node add_restore(EngineGraph& graph, std::span<const RestoredEntry> entries, const std::string& prefix) {
  NodeBuilder builder(graph, "fermata/warm_start", Visibility::kHidden);
  std::vector<std::string> keys;
  std::vector<std::string> slices;
  std::vector<std::int32_t> dtypes;
  for (const RestoredEntry& entry : entries) {
    keys.push_back(entry.key);
    slices.push_back(entry.slice);
    dtypes.push_back(static_cast<std::int32_t>(entry.dtype));
  }
  const NodeOutput filename = builder.string("prefix", prefix);
  const NodeOutput all_keys = builder.strings("names", keys);
  const NodeOutput all_slices = builder.strings("slices", slices);
  Node const restore = builder.add({.type = "RestoreV2",
                                    .name = "restore",
                                    .inputs = {{{filename}}, {{all_keys}}, {{all_slices}}},
                                    .attrs = {{"dtypes", wire::attr_of_types(dtypes)}}});
  std::vector<Node> assignments;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    assignments.push_back(
        builder.assign("assign", entries[i].variable, {restore, static_cast<std::int32_t>(i)}));
  }
  return builder.no_op("all", std::move(assignments));
}

}  // namespace

PartialRestore add_partial_restore(EngineGraph& graph, std::span<const RestoredEntry> entries,
                                   const BundleReader& checkpoint) {
  PartialRestore restore;
  std::vector<RestoredEntry> available;
  for (const RestoredEntry& entry : entries) {
    if (entry.variable == nullptr) {
      continue;
    }
    if (checkpoint.find(entry.key) != nullptr) {
      available.push_back(entry);
      continue;
    }
    std::string name = entry_name(graph, entry);
    if (std::ranges::count(restore.missing, name) == 0) {
      restore.missing.push_back(std::move(name));
    }
  }
  if (available.empty() && restore.missing.empty()) {
    throw Error(
        Code::kUnimplemented,
        "a part of a checkpoint cannot be restored into this graph, since it cannot be told what its saver "
        "reads; use a whole checkpoint of this graph");
  }
  if (!available.empty()) {
    restore.operation = add_restore(graph, available, checkpoint.prefix());
  }
  return restore;
}

}  // namespace fermata::tensorflow
