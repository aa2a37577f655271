#include "fermata/queue_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "fermata/error.h"
#include "fermata/monitored_session.h"
#include "fermata/native.h"
#include "fermata/testkit/log_capture.h"

namespace fermata {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Operations that play the part of enqueues, and a queue that can be full.
class QueueRunnerTest : public testing::Test {
 protected:
  QueueRunnerTest() {
    graph_.operation("close", {}, [this](native::StepOutputs&) { ++closes_; });
    graph_.operation("cancel", {}, [this](native::StepOutputs&) {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      changed_.notify_all();
    });
    graph_.operation("fails", {}, [](native::StepOutputs&) {
      throw Error(Code::kInvalidArgument, "bad", ErrorSource::kEngine);
    });
    graph_.operation("blocks", {}, [this](native::StepOutputs&) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return cancelled_; });
      throw Error(Code::kCancelled, "cancelled", ErrorSource::kEngine);
    });
  }

  // Ends its input after n runs of its own; `count_` has those of all.
  std::string counts_to(const std::string& name, int n) {
    graph_.operation(name, {}, [this, n, own = 0](native::StepOutputs&) mutable {
      if (own == n) {
        throw Error(Code::kOutOfRange, "end", ErrorSource::kEngine);
      }
      ++own;
      ++count_;
    });
    return name;
  }

  QueueRunner runner(std::vector<std::string> ops, std::vector<Code> codes = {}) {
    return QueueRunner(graph_, {.queue = "scope/queue",
                                .enqueue_ops = std::move(ops),
                                .close_op = "close",
                                .cancel_op = "cancel",
                                .queue_closed_codes = std::move(codes)});
  }

  Session& session() {
    if (!session_) {
      session_ = graph_.create_session({});
    }
    return *session_;
  }

  static void join(std::vector<QueueRunnerThread>& threads) {
    for (QueueRunnerThread& thread : threads) {
      thread.join();
    }
  }

  native::Graph graph_{native::Graph::Options{.global_step = false}};
  std::unique_ptr<Session> session_;
  std::atomic<int> count_{0};
  std::atomic<int> closes_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
};

TEST_F(QueueRunnerTest, EndOfInputEndsTheThreadQuietlyAndClosesTheQueue) {
  QueueRunner counter = runner({counts_to("count", 3)});
  auto threads = counter.create_threads(session(), {.start = true});
  join(threads);
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.front().is_alive());
  EXPECT_EQ(count_, 3);
  EXPECT_EQ(closes_, 1);
  EXPECT_TRUE(counter.exceptions_raised().empty());
}

TEST_F(QueueRunnerTest, TheLastOfSeveralThreadsClosesTheQueue) {
  QueueRunner both = runner({counts_to("short", 3), counts_to("long", 30)});
  auto threads = both.create_threads(session(), {.start = true});
  join(threads);
  EXPECT_EQ(count_, 33);
  EXPECT_EQ(closes_, 1);
}

// Contract QR-6.
TEST_F(QueueRunnerTest, WithoutACoordinatorErrorsAreKept) {
  testkit::LogCapture log;
  QueueRunner bad = runner({"fails", "fails"});
  auto threads = bad.create_threads(session(), {.start = true});
  join(threads);
  ASSERT_EQ(bad.exceptions_raised().size(), 2U);
  EXPECT_EQ(code_of(bad.exceptions_raised().front()), Code::kInvalidArgument);
  EXPECT_EQ(closes_, 0);
  EXPECT_THAT(log.lines().front(), HasSubstr("ERROR a thread that fills 'scope/queue' failed: bad"));
}

TEST_F(QueueRunnerTest, TheErrorsOfAnEarlierStartAreForgotten) {
  QueueRunner bad = runner({"fails"});
  auto threads = bad.create_threads(session(), {.start = true});
  join(threads);
  auto again = bad.create_threads(session());
  EXPECT_TRUE(bad.exceptions_raised().empty());
}

TEST_F(QueueRunnerTest, WithACoordinatorAnErrorStopsIt) {
  Coordinator coordinator;
  QueueRunner bad = runner({"fails"});
  const auto threads = bad.create_threads(session(), {.coordinator = &coordinator, .start = true});
  EXPECT_THROW(coordinator.join(), Error);
  EXPECT_TRUE(bad.exceptions_raised().empty());
}

TEST_F(QueueRunnerTest, OtherCodesMayMeanTheEnd) {
  QueueRunner own = runner({"fails"}, {Code::kInvalidArgument});
  auto threads = own.create_threads(session(), {.start = true});
  join(threads);
  EXPECT_TRUE(own.exceptions_raised().empty());
  EXPECT_EQ(closes_, 1);
}

TEST_F(QueueRunnerTest, UnderAStoppedCoordinatorNothingRuns) {
  Coordinator coordinator;
  coordinator.request_stop();
  QueueRunner counter = runner({counts_to("count", 3)});
  auto threads = counter.create_threads(session(), {.coordinator = &coordinator, .start = true});
  coordinator.join();
  EXPECT_EQ(count_, 0);
  EXPECT_EQ(closes_, 0);
}

// report TH-06
TEST_F(QueueRunnerTest, AStopWakesABlockedEnqueueAndItsErrorDoesNotCount) {
  Coordinator coordinator;
  QueueRunner blocked = runner({"blocks"});
  auto threads = blocked.create_threads(session(), {.coordinator = &coordinator, .start = true});
  EXPECT_EQ(threads.size(), 2U);
  coordinator.request_stop();
  coordinator.join(std::chrono::seconds(20));
  EXPECT_TRUE(cancelled_);
}

// Contract QR-11.
TEST_F(QueueRunnerTest, ThreadsAreNamedAfterQueueAndOperation) {
  Coordinator coordinator;
  QueueRunner counter = runner({counts_to("count", 3)});
  auto threads = counter.create_threads(session(), {.coordinator = &coordinator});
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].name(), "QueueRunnerThread-scope/queue-count");
  EXPECT_EQ(threads[1].name(), "QueueRunnerThread-scope/queue-close_on_stop");
  EXPECT_EQ(counter.name(), "scope/queue");
}

TEST_F(QueueRunnerTest, ASecondCallForASessionGivesNothingWhileItsThreadsCount) {
  QueueRunner counter = runner({counts_to("count", 3)});
  auto threads = counter.create_threads(session());
  EXPECT_TRUE(counter.create_threads(session()).empty());
  const auto other = graph_.create_session({});
  EXPECT_EQ(counter.create_threads(*other).size(), 1U);
  threads.front().start();
  EXPECT_THROW(threads.front().start(), Misuse);
  join(threads);
  EXPECT_EQ(counter.create_threads(session()).size(), 1U);
}

TEST_F(QueueRunnerTest, AQueueAndAnOperationAreNeeded) {
  EXPECT_THROW(QueueRunner(graph_, {.queue = "", .enqueue_ops = {"close"}}), Error);
  EXPECT_THROW(QueueRunner(graph_, {.queue = "q"}), Error);
  EXPECT_THROW(QueueRunner(graph_, {.queue = "q", .enqueue_ops = {"not there"}}), Error);
}

TEST_F(QueueRunnerTest, ADefinitionMakesTheSameRunner) {
  QueueRunner own = runner({"fails", "blocks"}, {Code::kInvalidArgument, Code::kCancelled});
  const std::shared_ptr<QueueRunner> read = QueueRunner::from_proto(graph_, own.to_proto());
  EXPECT_EQ(read->name(), "scope/queue");
  EXPECT_THAT(read->info().enqueue_ops, ElementsAre("fails", "blocks"));
  EXPECT_EQ(read->info().close_op, "close");
  EXPECT_EQ(read->info().cancel_op, "cancel");
  EXPECT_THAT(read->info().queue_closed_codes, ElementsAre(Code::kInvalidArgument, Code::kCancelled));
}

TEST_F(QueueRunnerTest, ADefinitionWithoutCodesEndsWithTheInput) {
  // queue_name, enqueue_op_name
  const std::shared_ptr<QueueRunner> read = QueueRunner::from_proto(graph_,
                                                                    "\x0A\x01q\x12\x05"
                                                                    "fails");
  EXPECT_THAT(read->info().queue_closed_codes, ElementsAre(Code::kOutOfRange));
}

TEST_F(QueueRunnerTest, AWrongDefinitionIsRefused) {
  for (const char* bytes : {"", "\x0A\x09q", "\x0A\x01q"}) {
    try {
      static_cast<void>(QueueRunner::from_proto(graph_, bytes));
      FAIL() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr("QueueRunner:"));
    }
  }
}

TEST_F(QueueRunnerTest, AllRunnersOfAGraphAreStarted) {
  add_queue_runner(graph_, std::make_shared<QueueRunner>(runner({counts_to("count", 3)})));
  auto threads = start_queue_runners(session());
  join(threads);
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_EQ(count_, 3);
}

TEST_F(QueueRunnerTest, WithoutRunnersThereIsAWarning) {
  testkit::LogCapture log;
  EXPECT_TRUE(start_queue_runners(session()).empty());
  EXPECT_THAT(log.lines(),
              ElementsAre(HasSubstr("WARNING start_queue_runners: the graph has no queue runners")));
}

TEST_F(QueueRunnerTest, ARunnerCannotBeAddedToAFinalizedGraph) {
  auto late = std::make_shared<QueueRunner>(runner({"close"}));
  graph_.finalize();
  EXPECT_THROW(add_queue_runner(graph_, late), Misuse);
}

TEST_F(QueueRunnerTest, AMonitoredSessionStartsThemAndTellsTheirError) {
  add_queue_runner(graph_, std::make_shared<QueueRunner>(runner({"fails"})));
  MonitoredSession loop(graph_, {});
  const SessionRunArgs args({"close"});
  EXPECT_THROW(loop.run_until_stopped([&] { loop.run(args); }), Error);
  EXPECT_EQ(code_of(loop.verdict()->error), Code::kInvalidArgument);
}

TEST_F(QueueRunnerTest, AMonitoredSessionWakesThemAtItsEnd) {
  add_queue_runner(graph_, std::make_shared<QueueRunner>(runner({"blocks"})));
  MonitoredSession loop(graph_, {});
  loop.close();
  EXPECT_TRUE(cancelled_);
}

// Contract QR-9.
TEST_F(QueueRunnerTest, AThreadThatFailsLastLeavesTheQueueOpen) {
  QueueRunner both = runner({counts_to("count", 3), "fails"});
  auto threads = both.create_threads(session());
  threads[0].start();
  threads[0].join();
  threads[1].start();
  threads[1].join();
  EXPECT_EQ(closes_, 0);
  EXPECT_EQ(both.create_threads(session()).size(), 2U) << "none of them counts any more";
}

// Contract QR-14.
TEST_F(QueueRunnerTest, TheRunnersAreThoseOfTheSessionsGraph) {
  native::Graph other;
  add_queue_runner(graph_, std::make_shared<QueueRunner>(runner({counts_to("count", 3)})));
  const auto session_of_other = other.create_session({});
  EXPECT_TRUE(start_queue_runners(*session_of_other).empty());
  EXPECT_EQ(count_, 0);
}

class QueueRunnerThreadsTest : public QueueRunnerTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, QueueRunnerThreadsTest, testing::Values(1, 2, 8, 64));

TEST_P(QueueRunnerThreadsTest, TheLastOfThemClosesTheQueue) {
  std::vector<std::string> enqueues;
  for (int i = 0; i < GetParam(); ++i) {
    enqueues.push_back(counts_to("count_" + std::to_string(i), i % 7));
  }
  QueueRunner counters = runner(enqueues);
  auto threads = counters.create_threads(session(), {.start = true});
  join(threads);
  int expected = 0;
  for (int i = 0; i < GetParam(); ++i) {
    expected += i % 7;
  }
  EXPECT_EQ(count_, expected);
  EXPECT_EQ(closes_, 1);
  EXPECT_TRUE(counters.exceptions_raised().empty());
}

TEST_P(QueueRunnerThreadsTest, AStopWakesThemAllFromAFullQueue) {
  QueueRunner blocked = runner(std::vector<std::string>(static_cast<std::size_t>(GetParam()), "blocks"));
  Coordinator coordinator;
  auto threads = blocked.create_threads(session(), {.coordinator = &coordinator, .start = true});
  coordinator.request_stop();
  coordinator.join(std::chrono::seconds(30));
  join(threads);
  EXPECT_TRUE(blocked.exceptions_raised().empty());
}

}  // namespace
}  // namespace fermata
