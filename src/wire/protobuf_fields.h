// The few things that reading protobuf messages needs on top of protozero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

namespace fermata::wire {

[[nodiscard]] inline protozero::pbf_reader fields_of(std::string_view bytes) {
  return protozero::pbf_reader{protozero::data_view{bytes.data(), bytes.size()}};
}

[[nodiscard]] inline std::string_view read_view(protozero::pbf_reader& field) {
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

[[nodiscard]] inline std::string read_string(protozero::pbf_reader& field) {
  return std::string(read_view(field));
}

// As a number: protozero's get_bool may read past the end.
[[nodiscard]] inline bool read_bool(protozero::pbf_reader& field) { return field.get_uint64() != 0; }

// A repeated integer, packed or not; call it for each occurrence of the field.
inline void read_repeated(protozero::pbf_reader& field, std::vector<std::int64_t>& into) {
  if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const std::int64_t value : field.get_packed_int64()) {
      into.push_back(value);
    }
  } else {
    into.push_back(field.get_int64());
  }
}

}  // namespace fermata::wire
