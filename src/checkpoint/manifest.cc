#include "checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

using nlohmann::json;

// Raised when an older Fermata would misread the file.
constexpr int kFormat = 1;

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_plain_text(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

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

// The library converts any number to any type, also where that means nothing.
std::uint64_t unsigned_of(const json& value, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw std::invalid_argument("a number is not what it should be: " + value.dump());
  }
  return value.get<std::uint64_t>();
}

std::int64_t integer_of(const json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value.is_number_integer() && !value.is_number_unsigned()
             ? value.get<std::int64_t>()
             : static_cast<std::int64_t>(unsigned_of(value, kMost));
}

// JSON has neither infinities nor bytes that are not UTF-8: these are objects that say what they are.
json encode_value(const HookState::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return *whole;
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? json(*number) : json{{"number", fmt::format("{}", *number)}};
  }
  const std::string& text = std::get<std::string>(value);
  return is_plain_text(text) ? json(text) : json{{"bytes", hex_of(text)}};
}

double special_number(const std::string& name) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (name == "inf" || name == "-inf") {
    return name == "inf" ? infinity : -infinity;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

HookState::Value decode_value(const json& value) {
  if (value.is_number_integer()) {
    return integer_of(value);
  }
  if (value.is_number_float()) {
    return value.get<double>();
  }
  if (value.is_object() && value.contains("number")) {
    return special_number(value.at("number").get<std::string>());
  }
  if (value.is_object() && value.contains("bytes")) {
    return bytes_of_hex(value.at("bytes").get<std::string>());
  }
  return value.get<std::string>();
}

json encode_state(const HookState& state) {
  json object = json::object();
  for (const auto& [key, value] : state.values()) {
    object[key] = encode_value(value);
  }
  return object;
}

HookState decode_state(const json& object) {
  HookState state;
  for (const auto& [key, value] : object.items()) {
    state.set(key, decode_value(value));
  }
  return state;
}

json encode_file(const ManifestFile& file) {
  json object = {{"name", file.name}, {"bytes", file.size_bytes}};
  if (file.crc32c) {
    object["crc32c"] = *file.crc32c;
  }
  return object;
}

ManifestFile decode_file(const json& object) {
  ManifestFile file{object.at("name").get<std::string>(), unsigned_of(object.at("bytes"), kAnySize),
                    std::nullopt};
  if (object.contains("crc32c")) {
    file.crc32c = static_cast<std::uint32_t>(
        unsigned_of(object.at("crc32c"), std::numeric_limits<std::uint32_t>::max()));
  }
  return file;
}

Manifest decode_object(const json& object) {
  Manifest manifest;
  manifest.fermata_version = object.at("fermata").get<std::string>();
  manifest.unix_seconds = object.at("time").get<double>();
  if (!object.at("step").is_null()) {
    manifest.step = integer_of(object.at("step"));
  }
  if (object.contains("value")) {
    manifest.value = object.at("value").get<double>();
  }
  for (const json& file : object.at("files")) {
    manifest.files.push_back(decode_file(file));
  }
  for (const auto& [name, state] : object.at("hooks").items()) {
    manifest.state.hooks.emplace(name, decode_state(state));
  }
  manifest.state.engine = decode_state(object.at("engine"));
  return manifest;
}

// The manifest speaks of the index that is there.
bool fits_index(FileSystem& files, const Manifest& manifest, const std::string& path) {
  const ManifestFile found = describe_file(files, path);
  return std::find(manifest.files.begin(), manifest.files.end(), found) != manifest.files.end();
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  json object = {{"format", kFormat}, {"fermata", manifest.fermata_version}, {"time", manifest.unix_seconds}};
  object["step"] = manifest.step ? json(*manifest.step) : json();
  if (manifest.value) {
    object["value"] = *manifest.value;
  }
  object["files"] = json::array();
  for (const ManifestFile& file : manifest.files) {
    object["files"].push_back(encode_file(file));
  }
  object["hooks"] = json::object();
  for (const auto& [name, state] : manifest.state.hooks) {
    object["hooks"][name] = encode_state(state);
  }
  object["engine"] = encode_state(manifest.state.engine);
  return object.dump(1) + "\n";
}

std::variant<Manifest, std::string> decode_manifest(std::string_view text) {
  try {
    const json object = json::parse(text);
    const std::int64_t format = integer_of(object.at("format"));
    if (format > kFormat) {
      return fmt::format("it has format {}, {} or less was expected", format, kFormat);
    }
    return decode_object(object);
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
