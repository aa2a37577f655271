// What a SavedModel has beyond its graph: values, files, an operation to start with.
#pragma once

#include <string>

#include "engines/tensorflow_graph/model_state.h"

namespace fermata::tensorflow {

// Finds them in an imported graph: sets saved_init, main_op and own_feeds, takes out of the collections what
// they replace, and keeps those variables that the model stores.
void find_saved_model_pieces(Model::Impl& model, const std::string& folder);

// Sentences about models that will not do what is expected of them.
void add_saved_model_warnings(Model::Impl& model);

}  // namespace fermata::tensorflow
