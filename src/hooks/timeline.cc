#include "hooks/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "fermata/error.h"
#include "wire/malformed.h"
#include "wire/step_stats.h"

namespace fermata::hooks {
namespace {

using Json = nlohmann::ordered_json;
using wire::DeviceStats;
using wire::NodeStats;

std::int64_t end_of(const NodeStats& node) { return node.start_micros + node.duration_micros; }

// Times of a GPU, as the driver noted them.
bool is_gpu_trace(const std::string& device) {
  return device.find("/stream:") != std::string::npos || device.find("/memcpy") != std::string::npos;
}

struct Label {
  std::string name;
  std::string op = "unknown";
  std::vector<std::string> inputs;
};

// "name = Type(input, input)".
Label parse_op(const NodeStats& node) {
  Label label{.name = node.name};
  if (node.name == "RecvTensor") {
    label.op = node.name;
    return label;
  }
  const std::size_t close = node.label.rfind(')');
  const std::size_t open = close == std::string::npos ? close : node.label.rfind('(', close);
  const std::size_t equals = open == std::string::npos ? open : node.label.rfind(" = ", open);
  if (equals == std::string::npos) {
    return label;
  }
  label.op = node.label.substr(equals + 3, open - equals - 3);
  const std::string inputs = node.label.substr(open + 1, close - open - 1);
  for (std::size_t from = 0; from < inputs.size();) {
    const std::size_t to = std::min(inputs.find(", ", from), inputs.size());
    label.inputs.push_back(inputs.substr(from, to - from));
    from = to + 2;
  }
  return label;
}

// "… @@name:Type#…" on a GPU, else the name itself is "name:Type".
Label parse_kernel(const NodeStats& node) {
  const std::size_t start = node.label.find("@@");
  const std::size_t end = node.label.find('#');
  const bool annotated = start != std::string::npos && end != std::string::npos && start + 2 < end;
  const std::string both = annotated ? node.label.substr(start + 2, end - start - 2) : node.name;
  const std::size_t colon = both.find(':');
  Label label{.name = both.substr(0, colon)};
  if (colon != std::string::npos) {
    label.op = both.substr(colon + 1, both.find(':', colon + 1) - colon - 1);
  }
  return label;
}

// Where a tensor was made, and until when it was in use.
struct Tensor {
  std::size_t id = 0;
  std::int64_t made = 0;
  std::int64_t ready = 0;
  std::int64_t last_use = 0;
  int compute_pid = 0;
  int tensors_pid = 0;
  std::size_t lane = 0;
  std::int64_t bytes = 0;
  std::string allocator;
};

class Timeline {
 public:
  Timeline(std::vector<DeviceStats> devices, TimelineOptions options)
      : devices_(std::move(devices)), options_(options) {}

  std::string write() {
    name_processes();
    assign_lanes();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      note_tensors(i);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      show_compute(i);
    }
    if (options_.show_memory) {
      show_memory();
    }
    Json events = std::move(processes_);
    events.insert(events.end(), events_.begin(), events_.end());
    return Json{{"traceEvents", std::move(events)}}.dump(-1, ' ', true, Json::error_handler_t::replace);
  }

 private:
  // Process 0 has the allocators; each device has two.
  static int compute_pid(std::size_t device) { return static_cast<int>(2 * device + 1); }
  static int tensors_pid(std::size_t device) { return static_cast<int>(2 * device + 2); }

  void name_process(const std::string& name, int pid) {
    processes_.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", pid}, {"args", {{"name", name}}}});
  }

  void name_processes() {
    name_process("Allocators", 0);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      name_process(devices_[i].device + " Compute", compute_pid(i));
      name_process(devices_[i].device + " Tensors", tensors_pid(i));
    }
  }

  // The first lane that is free when an operation begins.
  void assign_lanes() {
    for (const DeviceStats& device : devices_) {
      std::vector<std::int64_t> ends = {0};
      for (const NodeStats& node : device.nodes) {
        auto lane =
            std::find_if(ends.begin(), ends.end(), [&](std::int64_t end) { return node.start_micros > end; });
        if (lane == ends.end()) {
          lane = ends.insert(lane, 0);
        }
        *lane = end_of(node);
        lanes_[&node] = static_cast<std::size_t>(lane - ends.begin());
      }
    }
  }

  Json& event(const char* phase, const char* category, const std::string& name, int pid, std::size_t lane,
              std::int64_t time) {
    events_.push_back(
        {{"ph", phase}, {"cat", category}, {"name", name}, {"pid", pid}, {"tid", lane}, {"ts", time}});
    return events_.back();
  }

  void note_tensors(std::size_t device) {
    for (const NodeStats& node : devices_[device].nodes) {
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string name = i == 0 ? node.name : fmt::format("{}:{}", node.name, i);
        Tensor tensor;
        tensor.id = tensors_.size();
        tensor.made = node.start_micros;
        tensor.ready = tensor.last_use = end_of(node);
        tensor.compute_pid = compute_pid(device);
        tensor.tensors_pid = tensors_pid(device);
        tensor.lane = lanes_[&node];
        tensor.bytes = node.outputs[i].requested_bytes;
        tensor.allocator = node.outputs[i].allocator;
        show_tensor(name, tensor);
        tensors_[name] = std::move(tensor);
      }
    }
  }

  void show_tensor(const std::string& name, const Tensor& tensor) {
    if (!options_.show_memory) {
      return;
    }
    event("N", "Tensor", name, tensor.tensors_pid, tensor.lane, tensor.made)["id"] = tensor.id;
    Json& snapshot = event("O", "Tensor", name, tensor.tensors_pid, tensor.lane, tensor.ready - 1);
    snapshot["id"] = tensor.id;
    snapshot["args"] = {{"snapshot",
                         {{"tensor_description", fmt::format("requested_bytes: {} allocator_name: {}",
                                                             tensor.bytes, tensor.allocator)}}}};
  }

  void show_compute(std::size_t device) {
    const bool gpu = is_gpu_trace(devices_[device].device);
    for (const NodeStats& node : devices_[device].nodes) {
      const Label label = gpu ? parse_kernel(node) : parse_op(node);
      Json arguments = {{"name", label.name}, {"op", label.op}};
      for (std::size_t i = 0; i < label.inputs.size(); ++i) {
        arguments[fmt::format("input{}", i)] = label.inputs[i];
      }
      Json& region = event("X", "Op", label.op, compute_pid(device), lanes_[&node], node.start_micros);
      region["dur"] = node.duration_micros;
      region["args"] = std::move(arguments);
      for (const std::string& input : label.inputs) {
        use_tensor(input, node, compute_pid(device));
      }
    }
  }

  void use_tensor(const std::string& name, const NodeStats& node, int pid) {
    const auto found = find_tensor(name);
    if (found == tensors_.end()) {
      return;
    }
    Tensor& tensor = found->second;
    tensor.last_use = std::max(tensor.last_use, end_of(node) - 1);
    const std::size_t lane = lanes_[&node];
    // An arrow along one lane would hide what it shows.
    if (!options_.show_dataflow || (tensor.compute_pid == pid && tensor.lane == lane)) {
      return;
    }
    event("s", "DataFlow", found->first, tensor.compute_pid, tensor.lane, tensor.ready)["id"] = flows_;
    event("t", "DataFlow", found->first, pid, lane, node.start_micros)["id"] = flows_;
    ++flows_;
  }

  // Nodes that send and receive between devices are named after the tensor, with "/_7" at the end.
  std::map<std::string, Tensor>::iterator find_tensor(const std::string& name) {
    const auto found = tensors_.find(name);
    const std::size_t suffix = name.rfind("/_");
    if (found != tensors_.end() || suffix == std::string::npos || suffix == 0) {
      return found;
    }
    return tensors_.find(name.substr(0, suffix));
  }

  void show_memory() {
    // For each allocator what it gives and takes back, in the order of time.
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> changes;
    for (const auto& [name, tensor] : tensors_) {
      event("D", "Tensor", name, tensor.tensors_pid, 0, tensor.last_use)["id"] = tensor.id;
      changes[tensor.allocator].emplace_back(tensor.made, tensor.bytes);
      changes[tensor.allocator].emplace_back(tensor.last_use, -tensor.bytes);
    }
    for (auto& [allocator, list] : changes) {
      std::sort(list.begin(), list.end());
      std::int64_t total = 0;
      for (const auto& [time, bytes] : list) {
        total += bytes;
        event("C", "Memory", allocator, 0, 0, time)["args"] = {{allocator, total}};
      }
    }
  }

  const std::vector<DeviceStats> devices_;
  const TimelineOptions options_;
  Json processes_ = Json::array();
  Json events_ = Json::array();
  std::map<const NodeStats*, std::size_t> lanes_;
  std::map<std::string, Tensor> tensors_;
  int flows_ = 0;
};

}  // namespace

std::string timeline(std::string_view run_metadata, TimelineOptions options) {
  try {
    return Timeline(wire::read_step_stats(run_metadata), options).write();
  } catch (const wire::Malformed& malformed) {
    throw Error(Code::kDataLoss,
                fmt::format("the trace of a run cannot be shown as a timeline: {}", malformed.what()),
                ErrorSource::kEngine);
  }
}

}  // namespace fermata::hooks
