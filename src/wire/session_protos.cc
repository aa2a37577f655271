#include "wire/session_protos.h"

#include <protozero/pbf_writer.hpp>

namespace fermata::wire {

using protozero::pbf_writer;

std::string merge_config(std::string_view base, const ConfigFields& fields) {
  std::string bytes(base);
  pbf_writer config(bytes);
  if (fields.intra_op_threads != 0) {
    config.add_int32(2, fields.intra_op_threads);
  }
  if (fields.inter_op_threads != 0) {
    config.add_int32(5, fields.inter_op_threads);
  }
  if (!fields.executor_type.empty()) {
    pbf_writer experimental(config, 16);
    experimental.add_string(3, fields.executor_type);
  }
  return bytes;
}

std::string merge_run_options(std::string_view base, const RunOptionFields& fields) {
  std::string bytes(base);
  pbf_writer options(bytes);
  if (fields.trace_level != 0) {
    options.add_enum(1, fields.trace_level);
  }
  if (fields.timeout.count() != 0) {
    options.add_int64(2, fields.timeout.count());
  }
  if (fields.inter_op_thread_pool) {
    options.add_int32(3, *fields.inter_op_thread_pool);
  }
  if (fields.output_partition_graphs) {
    options.add_bool(5, true);
  }
  if (!fields.debug_tensor_watches.empty() || fields.reset_disk_byte_usage) {
    pbf_writer debug(options, 6);
    for (const std::string& watch : fields.debug_tensor_watches) {
      debug.add_message(4, watch);
    }
    if (fields.reset_disk_byte_usage) {
      debug.add_bool(11, true);
    }
  }
  if (fields.report_tensor_allocations_upon_oom) {
    options.add_bool(7, true);
  }
  return bytes;
}

}  // namespace fermata::wire
