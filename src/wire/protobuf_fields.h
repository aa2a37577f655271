// The few things that reading protobuf messages needs on top of protozero, whose own functions take it for
// granted that a field is of the kind that is read: in a file that is something else it is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace fermata::wire {

// All of these throw a protozero::exception if the field is of another kind.
inline void require_kind(const protozero::pbf_reader& field, protozero::pbf_wire_type kind) {
  if (!field.has_wire_type(kind)) {
    throw protozero::unknown_pbf_wire_type_exception();
  }
}

[[nodiscard]] inline protozero::pbf_reader fields_of(std::string_view bytes) {
  return protozero::pbf_reader{protozero::data_view{bytes.data(), bytes.size()}};
}

// A string, bytes or a message.
[[nodiscard]] inline std::string_view read_view(protozero::pbf_reader& field) {
  require_kind(field, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

[[nodiscard]] inline std::string read_string(protozero::pbf_reader& field) {
  return std::string(read_view(field));
}

[[nodiscard]] inline protozero::pbf_reader read_message(protozero::pbf_reader& field) {
  return fields_of(read_view(field));
}

// Any integer or enum.
[[nodiscard]] inline std::int64_t read_int(protozero::pbf_reader& field) {
  require_kind(field, protozero::pbf_wire_type::varint);
  return field.get_int64();
}

[[nodiscard]] inline std::int32_t read_int32(protozero::pbf_reader& field) {
  return static_cast<std::int32_t>(read_int(field));
}

// As a number: protozero's get_bool may read past the end.
[[nodiscard]] inline bool read_bool(protozero::pbf_reader& field) { return read_int(field) != 0; }

[[nodiscard]] inline float read_float(protozero::pbf_reader& field) {
  require_kind(field, protozero::pbf_wire_type::fixed32);
  return field.get_float();
}

// A repeated integer, packed or not; call it for each occurrence of the field.
inline void read_repeated(protozero::pbf_reader& field, std::vector<std::int64_t>& into) {
  if (field.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
    for (const std::int64_t value : field.get_packed_int64()) {
      into.push_back(value);
    }
  } else {
    into.push_back(read_int(field));
  }
}

}  // namespace fermata::wire
