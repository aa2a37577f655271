// Reads saved_model.pb, the graph file of a SavedModel folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/malformed.h"

namespace fermata::wire {

// The serialized MetaGraphDefs, as views into the bytes. Throws: Malformed.
[[nodiscard]] std::vector<std::string_view> read_saved_model(std::string_view bytes);

// A variable as the objects of a TensorFlow 2 SavedModel know it.
struct SavedVariable {
  std::string name;
  std::int32_t dtype = 0;
  bool trainable = false;
};

// The variables of a MetaGraph's object graph, in its order. Throws: Malformed.
[[nodiscard]] std::vector<SavedVariable> read_saved_variables(std::string_view object_graph);

}  // namespace fermata::wire
