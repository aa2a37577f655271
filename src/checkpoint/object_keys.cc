#include "checkpoint/object_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fermata/log.h"
#include "wire/object_graph.h"

namespace fermata {
namespace {

constexpr const char* kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";

std::map<std::string, std::string> keys_by_name(const BundleReader& checkpoint) {
  std::map<std::string, std::string> keys;
  const Tensor graph = checkpoint.read(kObjectGraph);
  if (graph.dtype() != DType::kString || graph.view().size() != 1) {
    return keys;
  }
  const auto attributes = wire::decode_object_graph(graph.view().string());
  if (!attributes) {
    return keys;
  }
  for (const wire::SavedAttribute& attribute : *attributes) {
    if (checkpoint.find(attribute.checkpoint_key) != nullptr) {
      keys.emplace(attribute.full_name, attribute.checkpoint_key);
    }
  }
  return keys;
}

}  // namespace

std::vector<std::string> keys_of_names(const BundleReader& checkpoint, std::vector<std::string> names) {
  const auto has = [&](const std::string& name) { return checkpoint.find(name) != nullptr; };
  if (std::all_of(names.begin(), names.end(), has) || !has(kObjectGraph)) {
    return names;
  }
  const std::map<std::string, std::string> keys = keys_by_name(checkpoint);
  std::size_t found = 0;
  for (std::string& name : names) {
    const auto key = has(name) ? keys.end() : keys.find(name);
    if (key != keys.end()) {
      name = key->second;
      ++found;
    }
  }
  if (found > 0) {
    log(LogLevel::kWarning,
        fmt::format("the checkpoint '{}' is one of objects: {} of its values are taken by the names that "
                    "their variables had when it was written",
                    checkpoint.prefix(), found));
  }
  return names;
}

}  // namespace fermata
