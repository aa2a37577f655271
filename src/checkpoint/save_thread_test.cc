#include "checkpoint/save_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>

namespace fermata {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(SaveThreadTest, DoesItsWorkBesideTheCaller) {
  SaveThread thread;
  std::latch may_end(1);
  bool done = false;
  thread.start([&] {
    may_end.wait();
    done = true;
  });
  EXPECT_TRUE(thread.busy());
  EXPECT_FALSE(thread.wait(milliseconds(0)));
  may_end.count_down();
  EXPECT_TRUE(thread.wait(minutes(1)));
  EXPECT_FALSE(thread.busy());
  EXPECT_TRUE(done);
}

TEST(SaveThreadTest, IsUsedAgain) {
  SaveThread thread;
  std::atomic<int> count{0};
  for (int i = 0; i < 100; ++i) {
    thread.start([&] { ++count; });
    ASSERT_TRUE(thread.wait(minutes(1)));
  }
  EXPECT_EQ(count, 100);
}

TEST(SaveThreadTest, WithNothingToDoWaitingEndsAtOnce) { EXPECT_TRUE(SaveThread().wait(milliseconds(0))); }

TEST(SaveThreadTest, TheDestructorWaits) {
  std::atomic<bool> done{false};
  std::latch begun(1);
  {
    SaveThread thread;
    thread.start([&] {
      begun.count_down();
      done = true;
    });
    begun.wait();
  }
  EXPECT_TRUE(done);
}

TEST(SaveThreadTest, WorkThatDoesNotEndIsLetGoOf) {
  const auto may_end = std::make_shared<std::latch>(1);
  const auto ended = std::make_shared<std::latch>(1);
  {
    SaveThread thread;
    thread.start([may_end, ended] {
      may_end->wait();
      ended->count_down();
    });
    EXPECT_FALSE(thread.wait(milliseconds(0)));
    thread.abandon();
    EXPECT_FALSE(thread.busy());
  }
  may_end->count_down();
  ended->wait();
}

TEST(SaveThreadTest, WhatTheWorkHoldsIsGoneWhenItIsDone) {
  SaveThread thread;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  thread.start([held = std::move(held)] { EXPECT_EQ(*held, 1); });
  ASSERT_TRUE(thread.wait(minutes(1)));
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace fermata
