#include "wire/saved_model.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "wire/protobuf_fields.h"
#include "wire/top_level.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;

constexpr std::uint32_t kObjectVariable = 7;

SavedVariable read_variable(std::string_view bytes) {
  SavedVariable variable;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        variable.dtype = read_int32(field);
        break;
      case 3:
        variable.trainable = read_bool(field);
        break;
      case 6:
        variable.name = read_string(field);
        break;
      default:
        field.skip();
    }
  }
  return variable;
}

}  // namespace

std::vector<std::string_view> read_saved_model(std::string_view bytes) {
  std::vector<std::string_view> meta_graphs;
  for_each_message(
      bytes, 2, [&](std::uint32_t, std::string_view value) { meta_graphs.push_back(value); },
      /*number_field=*/1);
  if (meta_graphs.empty()) {
    throw Malformed(Fault::kForeign, "it holds no graph");
  }
  return meta_graphs;
}

std::vector<SavedVariable> read_saved_variables(std::string_view object_graph) {
  std::vector<SavedVariable> variables;
  try {
    pbf_reader graph = fields_of(object_graph);
    while (graph.next(1)) {
      pbf_reader object = read_message(graph);
      while (object.next(kObjectVariable)) {
        variables.push_back(read_variable(read_view(object)));
      }
    }
  } catch (const protozero::exception&) {
    throw Malformed(Fault::kForeign, "its objects cannot be read");
  }
  return variables;
}

}  // namespace fermata::wire
