// A step in which no hook is due allocates nothing.
#include <gtest/gtest.h>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "session/loop_fixture.h"
#include "tests/support/counted_allocations.h"

namespace fermata {
namespace {

class AllocationTest : public LoopTest {
 protected:
  static std::int64_t during(MonitoredSession& loop, const SessionRunArgs& args, int steps) {
    const std::int64_t before = allocations_of_all_threads();
    for (int i = 0; i < steps && !loop.should_stop(); ++i) {
      loop.run(args);
    }
    return allocations_of_all_threads() - before;
  }
};

TEST_F(AllocationTest, IdleHooksAllocateNothing) {
  std::vector<HookPtr> hooks;
  for (int i = 0; i < 4; ++i) {
    hooks.push_back(make_hook<StopAtStepHook>({.last_step = 1'000'000}));
    hooks.push_back(make_hook<StepCounterHook>({.every_n_steps = 1'000'000}));
  }
  hooks.push_back(
      make_hook<LoggingTensorHook>({.tensors = {{"loss", "train:0"}}, .every_n_iter = 1'000'000}));
  MonitoredSession loop = session(hooks);
  static_cast<void>(during(loop, args_, 3));
  EXPECT_EQ(during(loop, args_, 1000), 0);
}

TEST_F(AllocationTest, ANewFeedEachStepAllocatesNothingOfItsOwn) {
  const Output x = graph_.placeholder<float>("x");
  const Output doubled = graph_.value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); });
  SessionRunArgs args({train_, doubled});
  const FeedSlot slot = args.feed(x);
  const std::vector<Tensor> values = {Tensor::scalar(1.0F), Tensor::scalar(2.0F)};
  MonitoredSession loop(graph_);
  const auto step = [&](int i) {
    slot.set(values[static_cast<std::size_t>(i % 2)]);
    return loop.run(args).scalar<float>(1);
  };
  step(0);
  step(1);
  const std::int64_t before = allocations_of_all_threads();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(step(i), i % 2 == 0 ? 2.0F : 4.0F);
  }
  EXPECT_EQ(allocations_of_all_threads() - before, 0);
}

}  // namespace
}  // namespace fermata
