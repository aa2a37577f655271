#include "conformance/json.h"

#include <map>

namespace fermata::conformance {
namespace {

std::string joined(const std::string& left, const std::string& right) {
  return left.empty() ? right : left + ", " + right;
}

}  // namespace

std::string text_of(const Json& value) {
  std::string inner;
  if (value.is_array()) {
    for (const Json& element : value) {
      inner = joined(inner, text_of(element));
    }
    return "[" + inner + "]";
  }
  if (value.is_object()) {
    std::map<std::string, const Json*> sorted;
    for (const auto& [key, element] : value.items()) {
      sorted[key] = &element;
    }
    for (const auto& [key, element] : sorted) {
      inner = joined(inner, Json(key).dump() + ": " + text_of(*element));
    }
    return "{" + inner + "}";
  }
  return value.dump();
}

bool equal(const Json& a, const Json& b) { return text_of(a) == text_of(b); }

}  // namespace fermata::conformance
