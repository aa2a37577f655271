// A JSON text as a tree that can be let go of without memory. The tree of the JSON library allocates in its
// destructor, so a save for which there is no memory would end the process.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fermata {

// All accessors throw std::invalid_argument for a value of another kind.
class JsonTree {
 public:
  using Array = std::vector<JsonTree>;
  using Object = std::map<std::string, JsonTree>;
  // Numbers that are not negative are unsigned.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

  JsonTree();
  explicit JsonTree(bool value);
  explicit JsonTree(std::int64_t value);
  explicit JsonTree(std::uint64_t value);
  explicit JsonTree(double value);
  explicit JsonTree(std::string value);
  explicit JsonTree(Array value);
  explicit JsonTree(Object value);
  ~JsonTree();
  JsonTree(const JsonTree& other);
  JsonTree& operator=(const JsonTree& other);
  JsonTree(JsonTree&& other) noexcept;
  JsonTree& operator=(JsonTree&& other) noexcept;

  // Throws: std::invalid_argument that says what is wrong with the text; std::bad_alloc.
  [[nodiscard]] static JsonTree parse(std::string_view text);
  // One key or element in a line, a space for each level, keys in their order.
  [[nodiscard]] std::string dump() const;

  [[nodiscard]] const Value& value() const noexcept { return value_; }
  template <typename T>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<T>(value_);
  }
  [[nodiscard]] const std::string& text() const;
  // Any number, as a double.
  [[nodiscard]] double number() const;
  [[nodiscard]] const Array& array() const;
  [[nodiscard]] const Object& object() const;
  [[nodiscard]] bool contains(const std::string& key) const;
  [[nodiscard]] const JsonTree& at(const std::string& key) const;

  // For building.
  Array& make_array();
  Object& make_object();

 private:
  void append_to(std::string& text, std::size_t level) const;

  Value value_;
};

// Whether a text is valid UTF-8, which is all that JSON can hold.
[[nodiscard]] bool is_json_text(const std::string& text);

}  // namespace fermata
