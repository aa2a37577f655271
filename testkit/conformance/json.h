// The JSON type of scenarios: members keep their order, since the order of a map can be part of a scenario.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fermata::conformance {

using Json = nlohmann::ordered_json;

// The member, or null if it is not there.
inline const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : kNull;
}
inline bool has(const Json& object, const char* key) { return object.is_object() && object.contains(key); }

// As the recordings write values: members in the order of their names, ", " and ": " between things.
[[nodiscard]] std::string text_of(const Json& value);

// Whether two values are equal; members of maps in any order.
[[nodiscard]] bool equal(const Json& a, const Json& b);

}  // namespace fermata::conformance
