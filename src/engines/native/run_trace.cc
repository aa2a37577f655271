#include "engines/native/run_trace.h"

#include <chrono>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <utility>

namespace fermata::native {
namespace {

// Field numbers of tensorflow/core/framework/step_stats.proto and tensorflow/core/protobuf/config.proto.
constexpr int kRunMetadataStepStats = 1;
constexpr int kStepStatsDevStats = 1;
constexpr int kDeviceStepStatsDevice = 1;
constexpr int kDeviceStepStatsNodeStats = 2;
constexpr int kNodeName = 1;
constexpr int kNodeAllStartMicros = 2;
constexpr int kNodeOpEndRelMicros = 4;
constexpr int kNodeAllEndRelMicros = 5;
constexpr int kNodeTimelineLabel = 8;

std::int64_t micros(Clock::TimePoint::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

void RunTrace::end(const std::string& name, std::string label) {
  entries_.push_back({name, std::move(label), begun_, clock_.now()});
}

std::string RunTrace::serialized() const {
  std::string device_stats;
  protozero::pbf_writer device(device_stats);
  device.add_string(kDeviceStepStatsDevice, "/native:0");
  for (const Entry& entry : entries_) {
    protozero::pbf_writer node(device, kDeviceStepStatsNodeStats);
    const std::int64_t duration = micros(entry.ended - entry.begun);
    node.add_string(kNodeName, entry.name);
    node.add_int64(kNodeAllStartMicros, micros(entry.begun.time_since_epoch()));
    node.add_int64(kNodeOpEndRelMicros, duration);
    node.add_int64(kNodeAllEndRelMicros, duration);
    node.add_string(kNodeTimelineLabel, entry.label);
  }
  std::string metadata;
  protozero::pbf_writer run(metadata);
  protozero::pbf_writer step_stats(run, kRunMetadataStepStats);
  step_stats.add_message(kStepStatsDevStats, device_stats);
  step_stats.commit();
  return metadata;
}

}  // namespace fermata::native
