#include "engines/tensorflow_graph/executor_choice.h"

#include <gtest/gtest.h>

namespace fermata::tensorflow {
namespace {

using std::chrono::microseconds;

Executor choose(microseconds pool, microseconds caller) {
  ExecutorChoice choice(Executor::kAuto);
  for (int run = 0; run < 100 && choice.chosen() == Executor::kAuto; ++run) {
    const Executor executor = choice.next();
    // The first run of each costs much more, and one in between is disturbed.
    const microseconds extra(run < 2 || run == 11 ? 100'000 : 0);
    choice.measured(executor, extra + (executor == Executor::kPool ? pool : caller));
  }
  return choice.chosen();
}

TEST(ExecutorChoiceTest, KeepsTheFasterOne) {
  EXPECT_EQ(choose(microseconds(40), microseconds(24)), Executor::kCaller);
  EXPECT_EQ(choose(microseconds(5900), microseconds(11000)), Executor::kPool);
}

TEST(ExecutorChoiceTest, KeepsWhatWasAskedFor) {
  ExecutorChoice choice(Executor::kPool);
  EXPECT_EQ(choice.next(), Executor::kPool);
  choice.measured(Executor::kPool, microseconds(1));
  EXPECT_EQ(choice.chosen(), Executor::kPool);
}

TEST(ExecutorChoiceTest, IsOpenWhileItMeasures) {
  ExecutorChoice choice(Executor::kAuto);
  const Executor first = choice.next();
  EXPECT_NE(first, choice.next());
  EXPECT_EQ(choice.chosen(), Executor::kAuto);
}

}  // namespace
}  // namespace fermata::tensorflow
