// Writes the ConfigProto and RunOptions that go to the engine. Serialized messages are merged by being put
// one after the other: the later field counts, and repeated ones are appended.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermata::wire {

struct ConfigFields {
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  std::string executor_type;
};

// `base` with the fields that are not 0 or empty.
[[nodiscard]] std::string merge_config(std::string_view base, const ConfigFields& fields);

struct RunOptionFields {
  int trace_level = 0;
  std::chrono::milliseconds timeout{0};
  std::optional<int> inter_op_thread_pool;
  bool output_partition_graphs = false;
  bool report_tensor_allocations_upon_oom = false;
  bool reset_disk_byte_usage = false;
  std::vector<std::string> debug_tensor_watches;
};

[[nodiscard]] std::string merge_run_options(std::string_view base, const RunOptionFields& fields);

}  // namespace fermata::wire
