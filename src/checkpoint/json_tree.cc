#include "checkpoint/json_tree.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace fermata {
namespace {

using nlohmann::json;

// More levels than any manifest has; a file of brackets alone must not use up the stack.
constexpr std::size_t kDeepest = 32;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Puts values where the text has them. The path leads to the array or object that is open.
class Builder : public nlohmann::json_sax<json> {
 public:
  explicit Builder(JsonTree& root) : root_(root) {}

  bool null() override { return put(JsonTree()); }
  bool boolean(bool value) override { return put(JsonTree(value)); }
  bool number_integer(std::int64_t value) override { return put(JsonTree(value)); }
  bool number_unsigned(std::uint64_t value) override { return put(JsonTree(value)); }
  bool number_float(double value, const std::string& /*text*/) override { return put(JsonTree(value)); }
  bool string(std::string& value) override { return put(JsonTree(std::move(value))); }
  bool binary(json::binary_t& /*value*/) override { refuse("bytes are no JSON"); }
  bool start_object(std::size_t /*size*/) override { return open(JsonTree(JsonTree::Object())); }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(JsonTree(JsonTree::Array())); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& error) override {
    refuse(error.what());
  }

 private:
  JsonTree& place(JsonTree value) {
    if (path_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    JsonTree& parent = *path_.back();
    if (parent.is<JsonTree::Array>()) {
      return parent.make_array().emplace_back(std::move(value));
    }
    return parent.make_object()[key_] = std::move(value);
  }
  bool put(JsonTree value) {
    place(std::move(value));
    return true;
  }
  bool open(JsonTree value) {
    if (path_.size() == kDeepest) {
      refuse("it has too many levels");
    }
    path_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    path_.pop_back();
    return true;
  }

  JsonTree& root_;
  std::vector<JsonTree*> path_;
  std::string key_;
};

void append_line(std::string& text, std::size_t level) { text.append("\n").append(level, ' '); }

}  // namespace

JsonTree::JsonTree() = default;
JsonTree::JsonTree(bool value) : value_(value) {}
JsonTree::JsonTree(std::int64_t value) : value_(value) {}
JsonTree::JsonTree(std::uint64_t value) : value_(value) {}
JsonTree::JsonTree(double value) : value_(value) {}
JsonTree::JsonTree(std::string value) : value_(std::move(value)) {}
JsonTree::JsonTree(Array value) : value_(std::move(value)) {}
JsonTree::JsonTree(Object value) : value_(std::move(value)) {}
JsonTree::~JsonTree() = default;
JsonTree::JsonTree(const JsonTree& other) = default;
JsonTree& JsonTree::operator=(const JsonTree& other) = default;
JsonTree::JsonTree(JsonTree&& other) noexcept = default;
JsonTree& JsonTree::operator=(JsonTree&& other) noexcept = default;

JsonTree JsonTree::parse(std::string_view text) {
  JsonTree root;
  Builder builder(root);
  json::sax_parse(text, &builder);
  return root;
}

std::string JsonTree::dump() const {
  std::string text;
  append_to(text, 0);
  return text;
}

void JsonTree::append_to(std::string& text, std::size_t level) const {
  if (const auto* array = std::get_if<Array>(&value_)) {
    text.push_back('[');
    for (const JsonTree& element : *array) {
      text.append(&element == array->data() ? "" : ",");
      append_line(text, level + 1);
      element.append_to(text, level + 1);
    }
    if (!array->empty()) {
      append_line(text, level);
    }
    text.push_back(']');
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    text.push_back('{');
    for (const auto& [key, element] : *object) {
      text.append(key == object->begin()->first ? "" : ",");
      append_line(text, level + 1);
      text.append(json(key).dump()).append(": ");
      element.append_to(text, level + 1);
    }
    if (!object->empty()) {
      append_line(text, level);
    }
    text.push_back('}');
  } else {
    // A single value of the library needs no memory in its destructor.
    text.append(std::visit(
        [](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, Array> ||
                        std::is_same_v<T, Object>) {
            return std::string("null");
          } else {
            return json(value).dump();
          }
        },
        value_));
  }
}

const std::string& JsonTree::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    return *text;
  }
  refuse("a text was expected, but found " + dump());
}

double JsonTree::number() const {
  if (const auto* real = std::get_if<double>(&value_)) {
    return *real;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  if (const auto* whole = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  refuse("a number was expected, but found " + dump());
}

const JsonTree::Array& JsonTree::array() const {
  if (const auto* array = std::get_if<Array>(&value_)) {
    return *array;
  }
  refuse("a list was expected, but found " + dump());
}

const JsonTree::Object& JsonTree::object() const {
  if (const auto* object = std::get_if<Object>(&value_)) {
    return *object;
  }
  refuse("an object was expected, but found " + dump());
}

bool JsonTree::contains(const std::string& key) const { return object().contains(key); }

const JsonTree& JsonTree::at(const std::string& key) const {
  const auto found = object().find(key);
  if (found == object().end()) {
    refuse("the key '" + key + "' is missing");
  }
  return found->second;
}

JsonTree::Array& JsonTree::make_array() {
  if (!is<Array>()) {
    value_ = Array();
  }
  return std::get<Array>(value_);
}

JsonTree::Object& JsonTree::make_object() {
  if (!is<Object>()) {
    value_ = Object();
  }
  return std::get<Object>(value_);
}

bool is_json_text(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

}  // namespace fermata
