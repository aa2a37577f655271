// Names of the files of a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fermata {

// `<prefix>.index`, `.meta`, `.manifest.json`. A prefix that names a shard ("m-00000-of-00002") has its
// graph's definition under the name without it (contract SAVER-9).
[[nodiscard]] std::string index_path(std::string_view prefix);
[[nodiscard]] std::string meta_path(std::string_view prefix, std::string_view suffix = "meta");
[[nodiscard]] std::string manifest_path(std::string_view prefix);

// `<prefix>.data-00000-of-00001`.
[[nodiscard]] std::string data_path(std::string_view prefix, std::int32_t shard, std::int32_t num_shards);

// What the name of a file says that belongs to the checkpoint `prefix_name`; nothing if it does not.
struct BundleFile {
  enum class Kind { kIndex, kData, kMeta, kManifest };
  Kind kind = Kind::kIndex;
  std::int32_t num_shards = 0;  // kData
};
[[nodiscard]] std::optional<BundleFile> parse_bundle_file(std::string_view file_name,
                                                          std::string_view prefix_name);

}  // namespace fermata
