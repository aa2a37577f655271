// The message in a checkpoint of objects that says which object is where (tensorflow.TrackableObjectGraph).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

// A value of an object that was saved.
struct SavedAttribute {
  std::string full_name;  // the variable's name
  std::string checkpoint_key;
};

// Those of all objects, in the order of the message. Nothing if the bytes are not such a message.
[[nodiscard]] std::optional<std::vector<SavedAttribute>> decode_object_graph(std::string_view bytes);

}  // namespace fermata::wire
