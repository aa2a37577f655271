// Sessions that are used and closed by several threads, and runs that wait.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "engines/tensorflow_graph/model_test_support.h"

namespace fermata::tensorflow {
namespace {

Code code_of_run(StepPlan& plan, const RunOptions* options = nullptr) {
  const std::unique_ptr<StepOutputs> outputs = plan.make_outputs();
  try {
    plan.run({}, options, *outputs, nullptr);
  } catch (const Error& error) {
    return error.code();
  }
  return Code::kOk;
}

// Nobody fills the queue, so a training run waits.
// report TH-05
TEST(SessionThreadsTest, ClosingEndsARunThatWaits) {
  Trainer trainer(fixture("queue.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  std::future<Code> run = std::async(std::launch::async, [&] { return code_of_run(*plan); });
  trainer.session->close();
  EXPECT_EQ(run.get(), Code::kCancelled);
}

TEST(SessionThreadsTest, EndOfASessionWaitsForItsRuns) {
  Trainer trainer(fixture("queue.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  std::promise<void> started;
  std::future<Code> run = std::async(std::launch::async, [&] {
    started.set_value();
    return code_of_run(*plan);
  });
  started.get_future().wait();
  trainer.session.reset();
  EXPECT_EQ(run.get(), Code::kCancelled);
}

// report LC-15
TEST(SessionThreadsTest, TimeoutLeavesTheSessionUsable) {
  Trainer trainer(fixture("queue.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  RunOptions options;
  options.timeout = std::chrono::milliseconds(1);
  EXPECT_EQ(code_of_run(*plan, &options), Code::kDeadlineExceeded);
  EXPECT_EQ(trainer.session->read_step(), 0);
}

TEST(SessionThreadsTest, QueueIsFilledByAnotherThread) {
  Trainer trainer(fixture("queue.meta"));
  const std::unique_ptr<StepPlan> enqueue = trainer.session->prepare(
      {.targets = {trainer.model.operation("input_producer/FIFOQueueV2_EnqueueMany")}});
  std::future<Code> filled = std::async(std::launch::async, [&] { return code_of_run(*enqueue); });
  EXPECT_EQ(trainer.train_and_fetch(10, "loss:0").back(), 10);
  EXPECT_EQ(trainer.losses, (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(filled.get(), Code::kOk);
}

class SessionThreads : public testing::TestWithParam<int> {};

TEST_P(SessionThreads, OnePlanIsRunByManyAtOnce) {
  Trainer trainer(fixture("counter.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  std::vector<std::thread> threads;
  for (int i = 0; i < GetParam(); ++i) {
    threads.emplace_back([&] {
      const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
      Step last = 0;
      for (int run = 0; run < 5; ++run) {
        plan->run({}, nullptr, *outputs, nullptr);
        EXPECT_GT(outputs->step.value(), last);
        last = *outputs->step;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(trainer.session->read_step(), 5 * GetParam());
}

TEST_P(SessionThreads, PlansAreMadeByManyAtOnce) {
  Trainer trainer(fixture("counter.meta"));
  std::vector<std::thread> threads;
  for (int i = 0; i < GetParam(); ++i) {
    threads.emplace_back([&, i] {
      PlanRequest request{.fetches = {trainer.model.tensor(i % 2 == 0 ? "loss:0" : "Merge/MergeSummary:0")},
                          .read_step = true};
      EXPECT_EQ(code_of_run(*trainer.session->prepare(request)), Code::kOk);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, SessionThreads, testing::Values(1, 2, 8, 64));

}  // namespace
}  // namespace fermata::tensorflow
