#include "conformance/run_options.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace fermata::conformance {
namespace {

// tensorflow.DebugTensorWatch.node_name.
constexpr protozero::pbf_tag_type kNodeName = 1;
// tensorflow.RunMetadata.step_stats and tensorflow.StepStats.dev_stats.
constexpr protozero::pbf_tag_type kStepStats = 1;
constexpr protozero::pbf_tag_type kDevStats = 1;

std::string watch_of(const std::string& node) {
  std::string watch;
  protozero::pbf_writer(watch).add_string(kNodeName, node);
  return watch;
}

std::string watched_node(const std::string& watch) {
  protozero::pbf_reader reader(watch);
  return reader.next(kNodeName) ? reader.get_string() : std::string();
}

void add(std::string& text, const std::string& part) { text += (text.empty() ? "" : ",") + part; }

}  // namespace

RunOptions options_of(const Json& spec) {
  RunOptions options;
  options.trace_level = static_cast<TraceLevel>(spec.value("trace_level", 0));
  options.timeout = std::chrono::milliseconds(spec.value("timeout_in_ms", 0));
  if (has(spec, "inter_op_thread_pool")) {
    options.inter_op_thread_pool = spec["inter_op_thread_pool"].get<int>();
  }
  options.output_partition_graphs = spec.value("output_partition_graphs", false);
  options.report_tensor_allocations_upon_oom = spec.value("report_tensor_allocations_upon_oom", false);
  options.reset_disk_byte_usage = spec.value("reset_disk_byte_usage", false);
  for (const Json& node : member(spec, "debug_watches")) {
    options.debug_tensor_watches.push_back(watch_of(node.get<std::string>()));
  }
  return options;
}

std::string options_text(const RunOptions* options) {
  if (options == nullptr) {
    return "none";
  }
  std::string text;
  if (options->trace_level != TraceLevel::kNoTrace) {
    add(text, "trace_level:" + std::to_string(static_cast<int>(options->trace_level)));
  }
  if (options->timeout.count() != 0) {
    add(text, "timeout_in_ms:" + std::to_string(options->timeout.count()));
  }
  if (options->inter_op_thread_pool.value_or(0) != 0) {
    add(text, "inter_op_thread_pool:" + std::to_string(*options->inter_op_thread_pool));
  }
  if (options->output_partition_graphs) {
    add(text, "output_partition_graphs:true");
  }
  if (options->report_tensor_allocations_upon_oom) {
    add(text, "report_tensor_allocations_upon_oom:true");
  }
  std::string watches;
  for (const std::string& watch : options->debug_tensor_watches) {
    watches += (watches.empty() ? "" : "+") + watched_node(watch);
  }
  if (!watches.empty()) {
    add(text, "debug_watches:" + watches);
  }
  if (options->reset_disk_byte_usage) {
    add(text, "reset_disk_byte_usage:true");
  }
  return text.empty() ? "default" : text;
}

std::string metadata_text(std::string_view serialized) {
  protozero::pbf_reader metadata(serialized.data(), serialized.size());
  while (metadata.next(kStepStats, protozero::pbf_wire_type::length_delimited)) {
    protozero::pbf_reader stats = metadata.get_message();
    if (stats.next(kDevStats)) {
      return "filled";
    }
  }
  return "empty";
}

}  // namespace fermata::conformance
