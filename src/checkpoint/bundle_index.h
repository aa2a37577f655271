// What the index of a checkpoint says, checked for sense.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "platform/file_system.h"

namespace fermata {

struct BundleIndex {
  std::int32_t num_shards = 0;
  // Whole tensors, sorted by name.
  std::vector<BundleEntry> entries;
  // Parts of partitioned tensors by their key (slice_key). Their names are those keys.
  std::map<std::string, BundleEntry, std::less<>> parts;
};

// Every shape has a number of elements, every plain entry the size of its shape, every part lies within its
// tensor and has an entry. Throws: as BundleReader::open.
[[nodiscard]] BundleIndex read_bundle_index(FileSystem& files, const std::string& prefix);

}  // namespace fermata
