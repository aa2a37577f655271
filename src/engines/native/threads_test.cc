#include <gtest/gtest.h>

#include <thread>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

class NativeThreadsTest : public testing::TestWithParam<int> {
 protected:
  template <typename Function>
  static void in_threads(Function function) {
    std::vector<std::thread> threads;
    for (int i = 0; i < GetParam(); ++i) {
      threads.emplace_back(function, i);
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

constexpr int kRuns = 200;

TEST_P(NativeThreadsTest, StepsOfOnePlanAddUpAndAreSeenOnce) {
  Graph graph;
  const Operation train = graph.step("train", {.increment = 3}, nothing);
  const auto session = ready_session(graph);
  PlanRequest request{.targets = {train}};
  request.read_step = true;
  const auto plan = session->prepare(request);
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(GetParam() * kRuns) + 1);
  in_threads([&](int) {
    const auto outputs = plan->make_outputs();
    for (int i = 0; i < kRuns; ++i) {
      plan->run({}, nullptr, *outputs, nullptr);
      ++seen[static_cast<std::size_t>(*outputs->step / 3)];
    }
  });
  EXPECT_EQ(session->read_step(), 3 * GetParam() * kRuns);
  EXPECT_TRUE(std::all_of(seen.begin() + 1, seen.end(), [](const auto& count) { return count == 1; }));
}

TEST_P(NativeThreadsTest, EachRunHasValuesOfItsOwn) {
  Graph graph;
  const Output x = graph.placeholder<int>("x");
  const Output next = graph.value("next", {x}, [](Inputs in) { return in.scalar<int>(0) + 1; });
  const auto session = ready_session(graph);
  const auto plan = session->prepare({.fetches = {next}, .feeds = {x}});
  in_threads([&](int number) {
    const auto outputs = plan->make_outputs();
    const Tensor fed = Tensor::scalar(number);
    const Tensor* feeds[] = {&fed};
    for (int i = 0; i < kRuns; ++i) {
      plan->run(feeds, nullptr, *outputs, nullptr);
      ASSERT_EQ(outputs->values[0].scalar<int>(), number + 1);
    }
  });
}

// report TH-05
TEST_P(NativeThreadsTest, ManyPrepareRunAndClose) {
  Graph graph;
  const Operation train = graph.step("train", {}, nothing);
  (void)graph.default_ready_op();
  const auto session = ready_session(graph);
  std::atomic<int> cancelled{0};
  in_threads([&](int number) {
    try {
      for (int i = 0;; ++i) {
        run(*session, SessionRunArgs({train, graph.global_step(), "report_uninitialized_variables:0"}));
        if (number == 0 && i == 20) {
          session->close();
        }
      }
    } catch (const Error&) {  // kCancelled from a run, Misuse from a request that was not prepared before
      ++cancelled;
    }
  });
  EXPECT_EQ(cancelled, GetParam());
}

TEST_P(NativeThreadsTest, OneInitialisesWhileOthersAsk) {
  Graph graph;
  const Operation train = graph.step("train", {}, nothing);
  const Operation init = graph.default_init_op();
  const auto session = graph.create_session({});
  in_threads([&](int number) {
    if (number == 0) {
      run(*session, init);
    }
    while (error_of([&] { run(*session, train); }) != "nothing") {
      std::this_thread::yield();
    }
  });
  EXPECT_GE(session->read_step(), 1);
}

INSTANTIATE_TEST_SUITE_P(Threads, NativeThreadsTest, testing::Values(1, 2, 8, 64));

}  // namespace
}  // namespace fermata::native
