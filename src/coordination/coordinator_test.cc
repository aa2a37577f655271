#include "fermata/coordinator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "fermata/error.h"

namespace fermata {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::exception_ptr error_of(const char* text, Code code = Code::kUnknown) {
  return std::make_exception_ptr(Error(code, text));
}

std::string thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST(CoordinatorTest, FirstFailureWins) {
  Coordinator coordinator;
  coordinator.request_stop(error_of("first"));
  coordinator.request_stop(error_of("too late"));
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(1)); }), "first");
  EXPECT_EQ(coordinator.later_errors(), std::vector<std::string>{"too late"});
}

// Contract COORD-3.
TEST(CoordinatorTest, AnErrorAfterAStopWithoutErrorIsOnlyKeptAsALaterOne) {
  Coordinator coordinator;
  coordinator.request_stop();
  coordinator.request_stop(error_of("late"));
  EXPECT_EQ(coordinator.error(), nullptr);
  coordinator.join(seconds(1));
}

TEST(CoordinatorTest, EndOfInputIsACleanStop) {
  Coordinator coordinator;
  coordinator.request_stop(error_of("end", Code::kOutOfRange));
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_EQ(coordinator.error(), nullptr);
}

// Contract COORD-1.
TEST(CoordinatorTest, StopIterationOfAThreadIsAnError) {
  Coordinator coordinator;
  coordinator.request_stop(std::make_exception_ptr(StopIteration()));
  EXPECT_NE(coordinator.error(), nullptr);
}

TEST(CoordinatorTest, WhatIsCleanCanBeChosen) {
  Coordinator coordinator({.clean_stop = [](const std::exception_ptr&) { return false; }});
  coordinator.request_stop(error_of("end", Code::kOutOfRange));
  EXPECT_EQ(thrown_by([&] { coordinator.raise_requested_exception(); }), "end");
}

TEST(CoordinatorTest, AnErrorAfterTheJoinIsThrownInTheCaller) {
  Coordinator coordinator;
  coordinator.join(seconds(1));
  EXPECT_TRUE(coordinator.joined());
  EXPECT_EQ(thrown_by([&] { coordinator.request_stop(error_of("late")); }), "late");
  EXPECT_FALSE(coordinator.should_stop());
}

TEST(CoordinatorTest, WordsOfTheFirstRequestAreKept) {
  Coordinator coordinator;
  coordinator.request_stop(StopRequest{StopReason::kAlreadyAtTarget, "h1", "at 7", 0});
  coordinator.request_stop(StopRequest{StopReason::kRequested, "h2", "", 0});
  EXPECT_EQ(coordinator.stop_request()->by, "h1");
}

TEST(CoordinatorTest, AfterClearStopItIsAsNew) {
  Coordinator coordinator;
  coordinator.request_stop(error_of("x"));
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(1)); }), "x");
  coordinator.clear_stop();
  EXPECT_FALSE(coordinator.should_stop());
  coordinator.join(seconds(1));
}

TEST(CoordinatorTest, AnExceptionOfAScopeBecomesAStop) {
  Coordinator coordinator;
  coordinator.stop_on_exception([] { throw Error(Code::kInternal, "inside"); });
  EXPECT_EQ(describe(coordinator.error()), "inside");
}

TEST(CoordinatorTest, JoinRethrowsEachTime) {
  Coordinator coordinator;
  coordinator.request_stop(error_of("again"));
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(1)); }), "again");
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(1)); }), "again");
}

// Contract COORD-13, COORD-14.
// report TH-01
TEST(CoordinatorTest, ThreadsThatDoNotEndAreNamed) {
  Coordinator coordinator;
  const auto done = coordinator.register_thread("stubborn");
  coordinator.request_stop();
  const std::string text = thrown_by([&] { coordinator.join(milliseconds(1)); });
  EXPECT_NE(text.find("stubborn"), std::string::npos) << text;
  done();
}

// report TH-07
TEST(CoordinatorTest, ThreadsThatDoNotEndCanBeIgnored) {
  Coordinator coordinator;
  const auto done = coordinator.register_thread("stubborn");
  coordinator.request_stop();
  coordinator.join(milliseconds(1), true);
  done();
}

class CoordinatorThreadsTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, CoordinatorThreadsTest, testing::Values(1, 2, 8, 64));

TEST_P(CoordinatorThreadsTest, AllThreadsStopTogether) {
  Coordinator coordinator;
  std::atomic<int> ended{0};
  for (int i = 0; i < GetParam(); ++i) {
    coordinator.start_thread("worker", [&] {
      coordinator.wait_for_stop();
      ++ended;
    });
  }
  coordinator.request_stop();
  coordinator.join(seconds(30));
  EXPECT_EQ(ended, GetParam());
}

TEST_P(CoordinatorThreadsTest, OneFailureStopsThemAll) {
  Coordinator coordinator;
  for (int i = 0; i < GetParam(); ++i) {
    coordinator.start_thread("worker", [&, i] {
      if (i == 0) {
        throw Error(Code::kNotFound, "lost");
      }
      coordinator.wait_for_stop();
    });
  }
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(30)); }), "lost");
}

// Contract COORD-17.
TEST_P(CoordinatorThreadsTest, RequestsFromManyThreadsKeepOneError) {
  Coordinator coordinator;
  for (int i = 0; i < GetParam(); ++i) {
    coordinator.start_thread("worker", [&] { coordinator.request_stop(error_of("one of many")); });
  }
  EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(30)); }), "one of many");
  EXPECT_EQ(static_cast<int>(coordinator.later_errors().size()), GetParam() - 1);
}

TEST(CoordinatorTest, JoinWithoutAStopWaitsForTheThreads) {
  Coordinator coordinator;
  std::promise<void> go;
  coordinator.start_thread("worker", [&] { go.get_future().wait(); });
  go.set_value();
  coordinator.join(milliseconds(0));
  EXPECT_FALSE(coordinator.should_stop());
}

// Contract COORD-12: it does not sleep in steps that grow, so the grace period is never used up by threads
// that end.
TEST(CoordinatorTest, JoinReturnsWhenTheLastThreadEnds) {
  Coordinator coordinator;
  std::promise<void> go;
  coordinator.start_thread("worker", [&] { go.get_future().wait(); });
  coordinator.request_stop();
  auto joined = std::async(std::launch::async, [&] { coordinator.join(std::chrono::hours(1)); });
  go.set_value();
  EXPECT_EQ(joined.wait_for(seconds(30)), std::future_status::ready);
}

// Contract COORD-19.
TEST(CoordinatorTest, AfterClearStopItTakesNewThreadsAndNewErrors) {
  Coordinator coordinator;
  for (const char* const text : {"first", "second"}) {
    coordinator.start_thread("worker", [text] { throw Error(Code::kInternal, text); });
    EXPECT_EQ(thrown_by([&] { coordinator.join(seconds(30)); }), text);
    coordinator.clear_stop();
  }
  EXPECT_EQ(coordinator.error(), nullptr);
}

}  // namespace
}  // namespace fermata
