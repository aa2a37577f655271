// What users ran into around TensorFlow's own runtime: memory that grows with runs, errors and sessions.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_config.h"
#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/fermata.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/temp_folder.h"

namespace fermata::reports {
namespace {

// Memory of this process that is there, in megabytes.
double resident_mb() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

std::int64_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// The address sanitizer keeps what was freed for a while, up to 256 MB.
constexpr double kMostGrowthMb = build_config::kAddressSanitizer ? 300 : 5;

// Says of the runs it is asked to that the session was lost.
class LosesSessions : public SessionRunHook {
 public:
  explicit LosesSessions(std::function<bool(int run)> loses) : loses_(std::move(loses)) {}
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& /*values*/) override {
    if (loses_(++runs_)) {
      throw Error(Code::kUnavailable, "scripted", ErrorSource::kEngine);
    }
  }

 private:
  std::function<bool(int run)> loses_;
  int runs_ = 0;
};

// report CU-06
TEST(TensorflowReportsTest, RunsAndTheirErrorsKeepNoMemory) {
  tensorflow::Model model = tensorflow::open(tensorflow::fixture("counter.meta"));
  SessionRunArgs fed({model.train_op(), "loss:0"});
  const FeedSlot slot = fed.feed("loss:0", Tensor::scalar(0.5F));
  MonitoredSession loop(model, {.announce = {&fed}});
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i) {
      slot.set(Tensor::scalar(static_cast<float>(i)));
      loop.run(fed);
    }
  };
  run(2000);
  const double before = resident_mb();
  run(20'000);
  EXPECT_LT(resident_mb() - before, kMostGrowthMb);

  tensorflow::Model digits = tensorflow::open(tensorflow::project_file("examples/digits/digits.meta"));
  const SessionRunArgs unfed({digits.train_op()});
  MonitoredSession fails(digits, {.announce = {&unfed}});
  const auto fail = [&](int times) {
    for (int i = 0; i < times; ++i) {
      EXPECT_THROW(fails.run(unfed), Error);
    }
  };
  fail(500);
  const double before_errors = resident_mb();
  fail(2000);
  EXPECT_LT(resident_mb() - before_errors, kMostGrowthMb);
}

// report CU-07
TEST(TensorflowReportsTest, RecoveriesKeepNoMemoryAndNoThread) {
  testkit::LogCapture log;
  tensorflow::Model model = tensorflow::open(tensorflow::fixture("counter.meta"));
  const SessionRunArgs args({model.train_op()});
  const std::chrono::nanoseconds none(0);
  MonitoredSession loop(model,
                        {.hooks = {std::make_shared<LosesSessions>([](int run) { return run % 2 == 1; })},
                         .announce = {&args},
                         .recovery = {.max_attempts = 10'000, .first_pause = none, .max_pause = none}});
  const auto recover = [&](int times) {
    for (int i = 0; i < times; ++i) {
      loop.run(args);
      static_cast<void>(log.take());
    }
  };
  recover(30);
  const double before = resident_mb();
  const std::int64_t threads_before = threads();
  recover(150);
  EXPECT_LT(resident_mb() - before, 25.0);
  EXPECT_EQ(threads(), threads_before);
}

// report SU-11
TEST(TensorflowReportsTest, TheGraphIsWrittenWithTheFileAndEachSessionAndNotWithEachSave) {
  TempFolder folder;
  const testkit::LogCapture log;
  tensorflow::Model model = tensorflow::open(tensorflow::fixture("counter.meta"));
  const SessionRunArgs args({model.train_op()});
  auto saves = make_hook<CheckpointSaverHook>({.checkpoint_dir = folder.path(), .save_steps = 2});
  auto loses = std::make_shared<LosesSessions>([](int run) { return run == 4 || run == 8; });
  const std::chrono::nanoseconds none(0);
  MonitoredSession loop(model, {.hooks = {saves, loses, make_hook<StopAtStepHook>({.last_step = 9})},
                                .announce = {&args},
                                .recovery = {.first_pause = none, .max_pause = none}});
  loop.run_until_stopped([&] { loop.run(args); });
  EXPECT_THAT(saves->saved(), testing::SizeIs(testing::Ge(5)));
  int graphs = 0;
  EventFiles(folder.path(), {.apply_restarts = false}).read([&](const LoggedEvent& event) {
    graphs += event.kind == LoggedEvent::Kind::kGraph ? 1 : 0;
  });
  EXPECT_EQ(graphs, 1 + 3);
}

}  // namespace
}  // namespace fermata::reports
