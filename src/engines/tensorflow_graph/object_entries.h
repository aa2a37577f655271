// What a saver reads, under the keys of a checkpoint of objects.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "engines/tensorflow_graph/restore_plan.h"

namespace fermata::tensorflow {

// Nothing if the checkpoint has no other keys for them: then the graph's own restore operation will do.
[[nodiscard]] std::optional<std::vector<RestoredEntry>> entries_of_objects(
    std::span<const RestoredEntry> entries, const BundleReader& checkpoint);

}  // namespace fermata::tensorflow
