// Finds variables by their names in a checkpoint of objects, as tf.train.Checkpoint writes it: its keys are
// paths of attributes.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/bundle_reader.h"

namespace fermata {

// The keys under which the checkpoint has what `names` ask for (contract SAVER-17): a name that it has no
// entry for, but an object whose variable is called so, becomes that object's key, and the log has a warning.
// Other names stay. Throws: Error kDataLoss for damaged bytes.
[[nodiscard]] std::vector<std::string> keys_of_names(const BundleReader& checkpoint,
                                                     std::vector<std::string> names);

}  // namespace fermata
