#include "wire/graph_def.h"

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/malformed.h"
#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;

constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kGraphLibrary = 2;

[[noreturn]] void fail() { throw Malformed(Fault::kForeign, "its graph cannot be read"); }

// The string in field `tag`: the names of nodes, arguments and functions all are such.
std::string_view string_field(std::string_view bytes, std::uint32_t tag) {
  std::string_view value;
  pbf_reader field = fields_of(bytes);
  while (field.next(tag)) {
    value = read_view(field);
  }
  return value;
}

std::pair<std::string_view, std::string_view> read_attr(std::string_view bytes) {
  return {string_field(bytes, 1), string_field(bytes, 2)};
}

NodeDef read_node(std::string_view bytes) {
  NodeDef node;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        node.name = read_view(field);
        break;
      case 2:
        node.op = read_view(field);
        break;
      case 3:
        node.inputs.push_back(read_view(field));
        break;
      case 5:
        node.attrs.push_back(read_attr(read_view(field)));
        break;
      default:
        field.skip();
    }
  }
  return node;
}

void read_signature(std::string_view bytes, FunctionDef& function) {
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        function.name = read_view(field);
        break;
      case 2:
        function.arguments.push_back(string_field(read_view(field), 1));
        break;
      default:
        field.skip();
    }
  }
}

}  // namespace

std::string_view NodeDef::attr(std::string_view attr_name) const {
  const auto found = std::ranges::find(attrs, attr_name, [](const auto& attr) { return attr.first; });
  return found == attrs.end() ? std::string_view() : found->second;
}

const NodeDef* FunctionDef::find(std::string_view node) const {
  const auto found = std::ranges::find(nodes, node, &NodeDef::name);
  return found == nodes.end() ? nullptr : &*found;
}

FunctionLibrary::FunctionLibrary(std::string_view graph_def) {
  try {
    pbf_reader graph = fields_of(graph_def);
    while (graph.next(kGraphLibrary)) {
      pbf_reader library = read_message(graph);
      while (library.next(1)) {
        const std::string_view function = read_view(library);
        functions_.emplace(string_field(string_field(function, 1), 1), function);
      }
    }
  } catch (const protozero::exception&) {
    fail();
  }
}

FunctionDef FunctionLibrary::read(std::string_view name) const {
  FunctionDef function;
  try {
    pbf_reader field = fields_of(functions_.at(name));
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          read_signature(read_view(field), function);
          break;
        case 3:
          function.nodes.push_back(read_node(read_view(field)));
          break;
        default:
          field.skip();
      }
    }
  } catch (const protozero::exception&) {
    fail();
  }
  return function;
}

std::string without_nodes(std::string_view graph_def,
                          const std::function<bool(std::string_view name)>& drop) {
  std::string kept;
  try {
    protozero::pbf_writer writer(kept);
    pbf_reader graph = fields_of(graph_def);
    while (graph.next()) {
      if (graph.wire_type() != protozero::pbf_wire_type::length_delimited) {
        const std::uint32_t tag = graph.tag();
        writer.add_int32(tag, read_int32(graph));  // the version of very old graphs
        continue;
      }
      const std::uint32_t tag = graph.tag();
      const std::string_view value = read_view(graph);
      if (tag != kGraphNode || !drop(string_field(value, 1))) {
        writer.add_message(tag, value.data(), value.size());
      }
    }
  } catch (const protozero::exception&) {
    fail();
  }
  return kept;
}

}  // namespace fermata::wire
