#include "engines/tensorflow_graph/object_entries.h"

#include <string>
#include <utility>

#include "checkpoint/object_keys.h"

namespace fermata::tensorflow {

std::optional<std::vector<RestoredEntry>> entries_of_objects(std::span<const RestoredEntry> entries,
                                                             const BundleReader& checkpoint) {
  std::vector<std::string> names;
  for (const RestoredEntry& entry : entries) {
    names.push_back(entry.key);
  }
  std::vector<std::string> keys = keys_of_names(checkpoint, names);
  if (keys == names) {
    return std::nullopt;
  }
  std::vector<RestoredEntry> renamed(entries.begin(), entries.end());
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    renamed[i].key = std::move(keys[i]);
  }
  return renamed;
}

}  // namespace fermata::tensorflow
