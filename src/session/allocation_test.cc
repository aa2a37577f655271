// A step in which no hook is due allocates nothing.
#include <gtest/gtest.h>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/nan_tensor_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/hooks/summary_saver_hook.h"
#include "fermata/log.h"
#include "session/loop_fixture.h"
#include "tests/support/counted_allocations.h"
#include "tests/support/temp_folder.h"

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

// Each hook is due in some steps, which may allocate; the steps in between may not, not even the one right
// after. Only this thread counts: what is written is written by another one.
TEST_F(AllocationTest, ADueHookAllocatesInItsOwnStepOnly) {
  TempFolder folder;
  set_log_level(LogLevel::kError);
  graph_.scalar_summary("loss", train_.output("loss"));
  const Output summary = *graph_.default_summary_op();
  MonitoredSession loop = session(
      {make_hook<StepCounterHook>({.every_n_steps = 10}),
       make_hook<LoggingTensorHook>({.tensors = {{"loss", "train:0"}}, .every_n_iter = 10}),
       make_hook<SummarySaverHook>({.save_steps = 10, .output_dir = folder.path(), .summary_op = {summary}}),
       make_hook<CheckpointSaverHook>({.checkpoint_dir = folder.path(), .save_steps = 10}),
       make_hook<NanTensorHook>({.loss_tensors = {"train:0"}})});
  int due_and_allocating = 0;
  for (Step step = 1; step <= 100; ++step) {
    const std::int64_t before = allocations_of_this_thread();
    loop.run(args_);
    const std::int64_t allocations = allocations_of_this_thread() - before;
    // Saves come at 10, 20 …, the rest at 1, 11, 21 …
    const bool due = step % 10 <= 1;
    due_and_allocating += due && allocations > 0 ? 1 : 0;
    // In the second step the request without the first summary is prepared.
    EXPECT_TRUE(due || step == 2 || allocations == 0) << allocations << " in step " << step;
  }
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(due_and_allocating, 20);
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
