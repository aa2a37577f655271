#include "fermata/hook_state.h"

#include <utility>

namespace fermata {
namespace {

template <typename T, typename Map>
std::optional<T> find_as(const Map& values, std::string_view key) {
  const auto found = values.find(key);
  if (found == values.end()) {
    return std::nullopt;
  }
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

}  // namespace

void HookState::set(std::string_view key, Value value) {
  values_.insert_or_assign(std::string(key), std::move(value));
}

std::optional<std::int64_t> HookState::integer(std::string_view key) const {
  return find_as<std::int64_t>(values_, key);
}

std::optional<double> HookState::number(std::string_view key) const {
  if (const std::optional<double> value = find_as<double>(values_, key)) {
    return value;
  }
  // A number that happens to be whole may come back from a file as an integer.
  const std::optional<std::int64_t> whole = integer(key);
  return whole ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<std::string> HookState::text(std::string_view key) const {
  return find_as<std::string>(values_, key);
}

}  // namespace fermata
