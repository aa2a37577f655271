#include "wire/session_protos.h"

#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

TEST(SessionProtosTest, OnlyWhatIsSetIsWritten) {
  EXPECT_EQ(merge_config({}, {}), "");
  EXPECT_EQ(merge_run_options({}, {}), "");
}

TEST(SessionProtosTest, FieldsComeAfterWhatIsThere) {
  EXPECT_EQ(merge_config("\x10\x01", {.intra_op_threads = 4, .inter_op_threads = 2}),
            "\x10\x01\x10\x04\x28\x02");
  EXPECT_EQ(merge_run_options("\x08\x01", {.trace_level = 3}), "\x08\x01\x08\x03");
}

TEST(SessionProtosTest, ExecutorIsNamedAmongTheExperimentalFields) {
  EXPECT_EQ(merge_config({}, {.executor_type = "X"}), std::string("\x82\x01\x03\x1A\x01X"));
}

TEST(SessionProtosTest, CallersThreadIsPoolMinusOne) {
  EXPECT_EQ(merge_run_options({}, {.inter_op_thread_pool = -1}),
            "\x18\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
}

TEST(SessionProtosTest, DebugOptionsAreTogether) {
  EXPECT_EQ(merge_run_options({}, {.reset_disk_byte_usage = true, .debug_tensor_watches = {"ab"}}),
            "\x32\x06\x22\x02"
            "ab"
            "\x58\x01");
}

}  // namespace
}  // namespace fermata::wire
