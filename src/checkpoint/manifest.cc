#include "checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/json_tree.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

// Raised when an older Fermata would misread the file.
constexpr std::uint64_t kFormat = 1;

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string hex_of(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHexDigits[byte >> 4U]);
    text.push_back(kHexDigits[byte & 0xfU]);
  }
  return text;
}

std::string bytes_of_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = kHexDigits.find(text[i]);
    const std::size_t low = kHexDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      throw std::invalid_argument("a value has no hexadecimal digits");
    }
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(high * 16 + low)));
  }
  return bytes;
}

std::uint64_t unsigned_of(const JsonTree& tree, std::uint64_t most) {
  const auto* number = std::get_if<std::uint64_t>(&tree.value());
  if (number == nullptr || *number > most) {
    throw std::invalid_argument("a number is not what it should be: " + tree.dump());
  }
  return *number;
}

std::int64_t integer_of(const JsonTree& tree) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto* negative = std::get_if<std::int64_t>(&tree.value());
  return negative != nullptr ? *negative : static_cast<std::int64_t>(unsigned_of(tree, kMost));
}

JsonTree object_of(JsonTree::Object entries) { return JsonTree(std::move(entries)); }

// As it is read back: not negative is unsigned.
JsonTree whole_number(std::int64_t number) {
  return number < 0 ? JsonTree(number) : JsonTree(static_cast<std::uint64_t>(number));
}

// JSON has neither infinities nor bytes that are not UTF-8: these are objects that say what they are.
JsonTree encode_value(const HookState::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return whole_number(*whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? JsonTree(*number)
                                  : object_of({{"number", JsonTree(fmt::format("{}", *number))}});
  }
  const std::string& text = std::get<std::string>(value);
  return is_json_text(text) ? JsonTree(text) : object_of({{"bytes", JsonTree(hex_of(text))}});
}

double special_number(const std::string& name) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (name == "inf" || name == "-inf") {
    return name == "inf" ? infinity : -infinity;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

HookState::Value decode_value(const JsonTree& tree) {
  if (tree.is<std::int64_t>() || tree.is<std::uint64_t>()) {
    return integer_of(tree);
  }
  if (tree.is<double>()) {
    return tree.number();
  }
  if (tree.is<JsonTree::Object>() && tree.contains("number")) {
    return special_number(tree.at("number").text());
  }
  if (tree.is<JsonTree::Object>() && tree.contains("bytes")) {
    return bytes_of_hex(tree.at("bytes").text());
  }
  return tree.text();
}

JsonTree encode_state(const HookState& state) {
  JsonTree::Object object;
  for (const auto& [key, value] : state.values()) {
    object.emplace(key, encode_value(value));
  }
  return object_of(std::move(object));
}

HookState decode_state(const JsonTree& tree) {
  HookState state;
  for (const auto& [key, value] : tree.object()) {
    state.set(key, decode_value(value));
  }
  return state;
}

JsonTree encode_file(const ManifestFile& file) {
  JsonTree::Object object;
  object.emplace("name", JsonTree(file.name));
  object.emplace("bytes", JsonTree(file.size_bytes));
  if (file.crc32c) {
    object.emplace("crc32c", JsonTree(std::uint64_t{*file.crc32c}));
  }
  return object_of(std::move(object));
}

ManifestFile decode_file(const JsonTree& tree) {
  ManifestFile file{tree.at("name").text(), unsigned_of(tree.at("bytes"), kAnySize), std::nullopt};
  if (tree.contains("crc32c")) {
    file.crc32c =
        static_cast<std::uint32_t>(unsigned_of(tree.at("crc32c"), std::numeric_limits<std::uint32_t>::max()));
  }
  return file;
}

Manifest decode_object(const JsonTree& tree) {
  Manifest manifest;
  manifest.fermata_version = tree.at("fermata").text();
  manifest.unix_seconds = tree.at("time").number();
  if (!tree.at("step").is<std::monostate>()) {
    manifest.step = integer_of(tree.at("step"));
  }
  if (tree.contains("value")) {
    manifest.value = tree.at("value").number();
  }
  for (const JsonTree& file : tree.at("files").array()) {
    manifest.files.push_back(decode_file(file));
  }
  for (const auto& [name, state] : tree.at("hooks").object()) {
    manifest.state.hooks.emplace(name, decode_state(state));
  }
  manifest.state.engine = decode_state(tree.at("engine"));
  return manifest;
}

// The manifest speaks of the index that is there.
bool fits_index(FileSystem& files, const Manifest& manifest, const std::string& path) {
  const ManifestFile found = describe_file(files, path);
  return std::find(manifest.files.begin(), manifest.files.end(), found) != manifest.files.end();
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  JsonTree::Object object;
  object.emplace("format", JsonTree(kFormat));
  object.emplace("fermata", JsonTree(manifest.fermata_version));
  object.emplace("time", JsonTree(manifest.unix_seconds));
  object.emplace("step", manifest.step ? whole_number(*manifest.step) : JsonTree());
  if (manifest.value) {
    object.emplace("value", JsonTree(*manifest.value));
  }
  JsonTree::Array files;
  for (const ManifestFile& file : manifest.files) {
    files.push_back(encode_file(file));
  }
  object.emplace("files", JsonTree(std::move(files)));
  JsonTree::Object hooks;
  for (const auto& [name, state] : manifest.state.hooks) {
    hooks.emplace(name, encode_state(state));
  }
  object.emplace("hooks", object_of(std::move(hooks)));
  object.emplace("engine", encode_state(manifest.state.engine));
  return object_of(std::move(object)).dump() + "\n";
}

std::variant<Manifest, std::string> decode_manifest(std::string_view text) {
  try {
    const JsonTree object = JsonTree::parse(text);
    const std::int64_t format = integer_of(object.at("format"));
    if (format > static_cast<std::int64_t>(kFormat)) {
      return fmt::format("it has format {}, {} or less was expected", format, kFormat);
    }
    return decode_object(object);
  } catch (const std::bad_alloc&) {
    throw;  // No fault of the file.
  } catch (const std::exception& error) {
    return std::string(error.what());
  }
}

FoundManifest find_manifest(FileSystem& files, const std::string& prefix) {
  const std::string path = manifest_path(prefix);
  try {
    if (!files.info(path)) {
      return {};
    }
    auto decoded = decode_manifest(read_whole_file(files, path));
    if (const auto* fault = std::get_if<std::string>(&decoded)) {
      return {std::nullopt,
              fmt::format("{}: the manifest of a checkpoint was expected, but {}", path, *fault)};
    }
    auto& manifest = std::get<Manifest>(decoded);
    if (!fits_index(files, manifest, index_path(prefix))) {
      return {std::nullopt, fmt::format("{}: the index beside it is another one than it speaks of", path)};
    }
    return {std::move(manifest), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

ManifestFile describe_file(FileSystem& files, const std::string& path) {
  const std::string content = read_whole_file(files, path);
  return {name_of(path), content.size(), wire::crc32c(content)};
}

}  // namespace fermata
