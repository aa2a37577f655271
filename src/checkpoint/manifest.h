// What Fermata keeps beside a checkpoint: `<prefix>.manifest.json`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fermata/session.h"
#include "fermata/step.h"
#include "platform/file_system.h"

namespace fermata {

struct ManifestFile {
  // Without its folder, so that the folder may be moved.
  std::string name;
  std::uint64_t size_bytes = 0;
  // Not masked. Data files have none: the index holds one for each of their tensors.
  std::optional<std::uint32_t> crc32c;
  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct Manifest {
  std::optional<Step> step;
  double unix_seconds = 0;
  std::string fermata_version;
  std::vector<ManifestFile> files;
  RunState state;
  // By which the best checkpoints are found.
  std::optional<double> value;
};

[[nodiscard]] std::string encode_manifest(const Manifest& manifest);

// The manifest, or in few words what is wrong with the text.
[[nodiscard]] std::variant<Manifest, std::string> decode_manifest(std::string_view text);

// What there is beside a checkpoint.
struct FoundManifest {
  // Nothing if there is no manifest, it cannot be read, or it is void.
  std::optional<Manifest> manifest;
  // Why a manifest that is there is not used; empty if there is none or it is used.
  std::string fault;
};
// A manifest is void if the index beside it is not the one it speaks of: somebody else has written the
// checkpoint anew, and the state in the manifest belongs to other variables. The index itself is not looked
// into. Throws nothing.
[[nodiscard]] FoundManifest find_manifest(FileSystem& files, const std::string& prefix);

// Size and checksum of a file. Throws: Error (system).
[[nodiscard]] ManifestFile describe_file(FileSystem& files, const std::string& path);

}  // namespace fermata
