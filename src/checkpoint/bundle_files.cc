#include "checkpoint/bundle_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fermata {
namespace {

constexpr std::string_view kIndex = ".index";
constexpr std::string_view kMeta = ".meta";
constexpr std::string_view kManifest = ".manifest.json";
constexpr std::string_view kData = ".data-";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kFewestDigits = 5;

std::optional<std::int32_t> parse_digits(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_number && text.size() >= kFewestDigits ? std::optional(value) : std::nullopt;
}

bool are_digits(std::string_view text, std::string_view others = "") {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char each) {
    return (each >= '0' && each <= '9') || others.find(each) != std::string_view::npos;
  });
}

// "m" of "m-00000-of-00002" and of "m-?????-of-00002".
std::string_view without_shard(std::string_view prefix) {
  const std::size_t of = prefix.rfind(kOf);
  const std::size_t dash = of == std::string_view::npos ? of : prefix.substr(0, of).rfind('-');
  const bool has_shard = dash != std::string_view::npos && are_digits(prefix.substr(of + kOf.size())) &&
                         are_digits(prefix.substr(dash + 1, of - dash - 1), "?");
  return has_shard ? prefix.substr(0, dash) : prefix;
}

std::string with(std::string_view prefix, std::string_view ending) {
  return std::string(prefix).append(ending);
}

}  // namespace

std::string index_path(std::string_view prefix) { return with(prefix, kIndex); }

std::string meta_path(std::string_view prefix, std::string_view suffix) {
  return with(without_shard(prefix), ".").append(suffix);
}

std::string manifest_path(std::string_view prefix) { return with(prefix, kManifest); }

std::string data_path(std::string_view prefix, std::int32_t shard, std::int32_t num_shards) {
  return fmt::format("{}{}{:05}{}{:05}", prefix, kData, shard, kOf, num_shards);
}

std::optional<BundleFile> parse_bundle_file(std::string_view file_name, std::string_view prefix_name) {
  if (!file_name.starts_with(prefix_name)) {
    return std::nullopt;
  }
  std::string_view rest = file_name.substr(prefix_name.size());
  if (rest == kIndex) {
    return BundleFile{BundleFile::Kind::kIndex, 0};
  }
  if (rest == kMeta) {
    return BundleFile{BundleFile::Kind::kMeta, 0};
  }
  if (rest == kManifest) {
    return BundleFile{BundleFile::Kind::kManifest, 0};
  }
  const std::size_t of = rest.find(kOf);
  if (!rest.starts_with(kData) || of == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int32_t> shard = parse_digits(rest.substr(kData.size(), of - kData.size()));
  const std::optional<std::int32_t> num_shards = parse_digits(rest.substr(of + kOf.size()));
  if (!shard || !num_shards) {
    return std::nullopt;
  }
  return BundleFile{BundleFile::Kind::kData, *num_shards};
}

}  // namespace fermata
