#include "wire/step_stats.h"

#include <gtest/gtest.h>

#include "wire/malformed.h"

namespace fermata::wire {
namespace {

// A field whose value is shorter than 128 bytes.
std::string field(int number, const std::string& value) {
  return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(value.size())) + value;
}
std::string number_field(int number, int value) {
  return static_cast<char>(number << 3) + std::string(1, static_cast<char>(value));
}

TEST(StepStatsTest, ReadsDevicesNodesAndWhatTheyAllocated) {
  const std::string allocation = number_field(1, 64) + number_field(2, 100) + field(3, "cpu");
  const std::string output = number_field(1, 0) + field(3, number_field(1, 1) + field(4, allocation));
  const std::string node = field(1, "b") + number_field(2, 100) + number_field(3, 1) + number_field(4, 9) +
                           number_field(5, 10) + field(7, output) + field(8, "b = Mul(a, a)") +
                           number_field(10, 3);
  const std::string bytes =
      field(1, field(1, field(1, "/cpu:0") + field(2, node) + field(2, field(1, "c")))) +
      field(2, "cost graph");
  const std::vector<DeviceStats> devices = read_step_stats(bytes);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].device, "/cpu:0");
  ASSERT_EQ(devices[0].nodes.size(), 2U);
  const NodeStats& read = devices[0].nodes[0];
  EXPECT_EQ(read.name, "b");
  EXPECT_EQ(read.label, "b = Mul(a, a)");
  EXPECT_EQ(read.start_micros, 100);
  EXPECT_EQ(read.duration_micros, 10);
  ASSERT_EQ(read.outputs.size(), 1U);
  EXPECT_EQ(read.outputs[0].requested_bytes, 64);
  EXPECT_EQ(read.outputs[0].allocator, "cpu");
}

TEST(StepStatsTest, NothingRecordedIsNoDevice) { EXPECT_TRUE(read_step_stats("").empty()); }

TEST(StepStatsTest, OtherBytesAreRefused) {
  EXPECT_THROW(static_cast<void>(read_step_stats("\x0a\x7f text")), Malformed);
}

}  // namespace
}  // namespace fermata::wire
