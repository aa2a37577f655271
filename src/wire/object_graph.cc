#include "wire/object_graph.h"

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

SavedAttribute decode_attribute(protozero::pbf_reader message) {
  SavedAttribute attribute;
  while (message.next()) {
    switch (message.tag()) {
      case 2:
        attribute.full_name = read_string(message);
        break;
      case 3:
        attribute.checkpoint_key = read_string(message);
        break;
      default:
        message.skip();
    }
  }
  return attribute;
}

void decode_object(protozero::pbf_reader message, std::vector<SavedAttribute>& into) {
  while (message.next()) {
    if (message.tag() == 2) {
      into.push_back(decode_attribute(read_message(message)));
    } else {
      message.skip();
    }
  }
}

}  // namespace

std::optional<std::vector<SavedAttribute>> decode_object_graph(std::string_view bytes) {
  try {
    std::vector<SavedAttribute> attributes;
    protozero::pbf_reader message = fields_of(bytes);
    while (message.next()) {
      if (message.tag() == 1) {
        decode_object(read_message(message), attributes);
      } else {
        message.skip();
      }
    }
    return attributes;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace fermata::wire
