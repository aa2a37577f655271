// What an engine recorded about a run: the part of tensorflow.RunMetadata that says when each operation ran.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

struct OutputStats {
  std::int64_t requested_bytes = 0;
  std::string allocator;
};

struct NodeStats {
  std::string name;
  // "name = Type(input, input)", with another form on GPU streams; may be empty.
  std::string label;
  std::int64_t start_micros = 0;
  std::int64_t duration_micros = 0;
  std::vector<OutputStats> outputs;
};

struct DeviceStats {
  std::string device;
  std::vector<NodeStats> nodes;
};

// From a serialized tensorflow.RunMetadata. Throws: Malformed.
[[nodiscard]] std::vector<DeviceStats> read_step_stats(std::string_view run_metadata);

}  // namespace fermata::wire
