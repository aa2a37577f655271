#include "wire/step_stats.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "wire/malformed.h"
#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;

// AllocationDescription.
void read_allocation(pbf_reader field, OutputStats& output) {
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        output.requested_bytes = read_int(field);
        break;
      case 3:
        output.allocator = read_string(field);
        break;
      default:
        field.skip();
    }
  }
}

// NodeOutput, of which only the allocation of its tensor_description counts.
OutputStats read_output(pbf_reader field) {
  OutputStats output;
  while (field.next(3)) {
    pbf_reader tensor = read_message(field);
    while (tensor.next(4)) {
      read_allocation(read_message(tensor), output);
    }
  }
  return output;
}

NodeStats read_node(pbf_reader field) {
  NodeStats node;
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        node.name = read_string(field);
        break;
      case 2:
        node.start_micros = read_int(field);
        break;
      case 5:
        node.duration_micros = read_int(field);
        break;
      case 7:
        node.outputs.push_back(read_output(read_message(field)));
        break;
      case 8:
        node.label = read_string(field);
        break;
      default:
        field.skip();
    }
  }
  return node;
}

DeviceStats read_device(pbf_reader field) {
  DeviceStats device;
  while (field.next()) {
    switch (field.tag()) {
      case 1:
        device.device = read_string(field);
        break;
      case 2:
        device.nodes.push_back(read_node(read_message(field)));
        break;
      default:
        field.skip();
    }
  }
  return device;
}

}  // namespace

std::vector<DeviceStats> read_step_stats(std::string_view run_metadata) {
  std::vector<DeviceStats> devices;
  try {
    pbf_reader metadata = fields_of(run_metadata);
    while (metadata.next(1)) {
      pbf_reader step_stats = read_message(metadata);
      while (step_stats.next(1)) {
        devices.push_back(read_device(read_message(step_stats)));
      }
    }
  } catch (const protozero::exception&) {
    throw Malformed(Fault::kForeign, "a field of the step statistics cannot be read");
  }
  return devices;
}

}  // namespace fermata::wire
