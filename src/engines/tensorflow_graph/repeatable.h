// Finds what makes a resumed run differ from one that was never interrupted.
#pragma once

#include <string>
#include <vector>

#include "engines/tensorflow_graph/model_state.h"

namespace fermata::tensorflow {

// Operations among what trains (all of the graph, if nothing does) whose state is in no variable: random
// numbers, shuffles, queues, positions in a data set. Those in functions are named with the function.
[[nodiscard]] std::vector<std::string> find_unrepeatable(const Model::Impl& model);

// Whether the graph brings its own input: queue runners or tf.data.
[[nodiscard]] bool feeds_itself(const Model::Impl& model);

}  // namespace fermata::tensorflow
