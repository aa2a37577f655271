// One allocation of a whole run fails, each in its turn: the run ends with an error or as it would have,
// nothing is left open, and what was saved before can be read.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "fermata/fermata.h"
#include "fermata/native.h"
#include "tests/support/counted_allocations.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;

// A folder whose files need no disk, where there is one: each run saves several times.
fs::path quick_parent() {
  const fs::path memory = "/dev/shm";
  return fs::is_directory(memory) ? memory : fs::temp_directory_path();
}

class Silence : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view /*message*/) override {}
};

// What a hook was told; it allocates nothing itself.
class Told : public SessionRunHook {
 public:
  int begun = 0;
  int ended = 0;
  int finished_calls = 0;
  StopReason reason = StopReason::kRequested;
  void begin(Graph& /*graph*/) override { ++begun; }
  void end(Session& /*session*/) override { ++ended; }
  void finished(const StopVerdict& verdict) override {
    ++finished_calls;
    reason = verdict.reason;
  }
};

std::int64_t entries(const char* folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// A thread that was joined may still be listed for a moment.
bool has_threads(std::int64_t expected) {
  for (int i = 0; i < 100'000 && entries("/proc/self/task") != expected; ++i) {
    std::this_thread::yield();
  }
  return entries("/proc/self/task") == expected;
}

std::int64_t allocation_under_test = 0;

class OutOfMemoryTest : public testing::TestWithParam<SaveMode> {
 protected:
  OutOfMemoryTest() : sink_before_(set_log_sink(std::make_shared<Silence>())) {
    std::set_terminate([] {
      std::fprintf(stderr, "terminated after allocation %lld\n",
                   static_cast<long long>(allocation_under_test));
      std::abort();
    });
  }
  ~OutOfMemoryTest() override { set_log_sink(std::move(sink_before_)); }

  // Trains two steps further than the newest checkpoint in `dir`.
  static StopVerdict train(const std::string& dir, const std::shared_ptr<Told>& told) {
    float w = 0;
    native::Graph graph;
    graph.variable("w", native::view(w));
    const Operation train = graph.step("train", {.outputs = {"loss"}}, [&](native::StepOutputs& out) {
      w += 1;
      out.set("loss", w);
    });
    graph.scalar_summary("loss", train.output("loss"));
    const SessionRunArgs args({train, train.output("loss")});
    const auto scaffold =
        std::make_shared<Scaffold>(Scaffold::Options{.saver_options = {.mode = GetParam()}});
    MonitoredSession loop = monitored_training_session(
        graph,
        {.checkpoint_dir = dir,
         .scaffold = scaffold,
         .hooks = {told, make_hook<StopAtStepHook>({.num_steps = 2}),
                   make_hook<LoggingTensorHook>({.tensors = {{"loss", "train:0"}}, .every_n_iter = 1})},
         .save_checkpoint_steps = 1,
         .save_summaries_steps = 1,
         .log_step_count_steps = 1});
    return loop.run_until_stopped([&] { loop.run(args); });
  }

  // One run with a failing allocation in a copy of `model`. False: none failed.
  bool run_with_failure(std::int64_t number, const TempFolder& model) {
    allocation_under_test = number;
    const TempFolder copy(quick_parent());
    fs::copy(model.path(), copy.path(), fs::copy_options::recursive);
    const auto told = std::make_shared<Told>();
    bool threw = false;
    fail_allocation(number);
    try {
      const StopVerdict verdict = train(copy.path(), told);
    } catch (...) {
      threw = true;
    }
    const bool failed = allocation_has_failed();
    fail_allocation(0);
    EXPECT_EQ(told->finished_calls, told->begun) << number;
    EXPECT_LE(told->ended, 1) << number;
    EXPECT_TRUE(threw || told->reason == StopReason::kTargetReached) << number;
    const std::optional<std::string> newest = newest_whole_checkpoint(copy.path());
    EXPECT_TRUE(newest && *step_of_checkpoint(*newest) >= 2) << number;
    EXPECT_EQ(CheckpointReader(*newest).get_tensor("w").view().scalar<float>(),
              static_cast<float>(*step_of_checkpoint(*newest)))
        << number;
    return failed;
  }

 private:
  std::shared_ptr<LogSink> sink_before_;
};

INSTANTIATE_TEST_SUITE_P(Every, OutOfMemoryTest, testing::Values(SaveMode::kGraph, SaveMode::kAsync),
                         [](const auto& of) { return of.param == SaveMode::kGraph ? "graph" : "async"; });

TEST_P(OutOfMemoryTest, EachAllocationOfARunMayFail) {
  const std::int64_t files = entries("/proc/self/fd");
  const std::int64_t threads = entries("/proc/self/task");
  const TempFolder model(quick_parent());
  train(model.path(), std::make_shared<Told>());
  std::int64_t number = 1;
  while (run_with_failure(number, model) && !HasFailure()) {
    ASSERT_EQ(entries("/proc/self/fd"), files) << number;
    ASSERT_TRUE(has_threads(threads)) << number;
    ++number;
  }
  EXPECT_GT(number, 500);
  RecordProperty("allocations", static_cast<int>(number));
}

}  // namespace
}  // namespace fermata
