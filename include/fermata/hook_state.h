// What a hook wants to find again in a later process: a few named values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fermata/export.h"

namespace fermata {

// Kept with the checkpoint, under the hook's name. Unknown names are ignored by who reads.
class FERMATA_API HookState {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;

  void set(std::string_view key, Value value);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& values() const noexcept { return values_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace fermata
