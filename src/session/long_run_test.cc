// A million steps with hooks that are due at different times.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <vector>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/final_ops_hook.h"
#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/nan_tensor_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/hooks/summary_saver_hook.h"
#include "fermata/log.h"
#include "fermata/monitored_session.h"
#include "session/announced_plans.h"
#include "session/named_hooks.h"
#include "tests/support/faulty_graph.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

constexpr Step kSteps = 1'000'000;
// By then there have been enough saves for the buffers of savers and writers to be as large as they get.
constexpr Step kEarly = 400'000;
constexpr std::size_t kSlack = 16 * 1024;

std::size_t bytes_in_use() { return ::mallinfo2().uordblks; }

class LongRunTest : public testing::Test {
 protected:
  LongRunTest() {
    set_log_level(LogLevel::kError);
    graph_.variable("w", native::view(w_));
    train_ = graph_.step("train", {.outputs = {"loss"}}, [this](native::StepOutputs& out) {
      w_ += 0.1F * (1 - w_);
      out.set("loss", 1 - w_);
    });
    graph_.scalar_summary("loss", train_.output("loss"));
    graph_.faults.before_call = [this](EngineCall call) {
      prepared_ += call == EngineCall::kPrepare ? 1 : 0;
    };
    args_ = SessionRunArgs({train_, train_.output("loss")});
  }
  ~LongRunTest() override { set_log_level(LogLevel::kInfo); }

  // Two of them ask for something when they are due, which makes four kinds of steps.
  std::vector<HookPtr> hooks() {
    return {
        make_hook<StopAtStepHook>({.last_step = kSteps}),
        make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_.path(), .save_steps = 99'991}),
        make_hook<StepCounterHook>({.every_n_steps = 103}),
        make_hook<SummarySaverHook>(
            {.save_steps = 101, .output_dir = folder_.path(), .summary_op = {*graph_.default_summary_op()}}),
        make_hook<LoggingTensorHook>(
            {.tensors = {{"loss", train_.output("loss")}, {"w", "w:0"}}, .every_n_iter = 97}),
        make_hook<FinalOpsHook>({.final_ops = {"w:0"}})};
  }

  TempFolder folder_;
  FaultyGraph graph_;
  float w_ = 0;
  Operation train_;
  SessionRunArgs args_;
  std::size_t prepared_ = 0;
};

TEST_F(LongRunTest, PreparesWhatWasAnnouncedOnceAndKeepsItsMemory) {
  const std::vector<HookPtr> all = hooks();
  MonitoredSession loop(graph_, {.hooks = all, .announce = {&args_}});
  const std::size_t announced = announced_plans(graph_, {&args_}, name_hooks(all)).size();
  const std::size_t at_start = prepared_;
  std::size_t early_bytes = 0;
  while (!loop.should_stop()) {
    loop.run(args_);
    if (loop.step() == kEarly) {
      EXPECT_EQ(prepared_ - at_start, announced);
      early_bytes = bytes_in_use();
    }
  }
  EXPECT_EQ(loop.step(), kSteps);
  EXPECT_EQ(announced, 4U);
  EXPECT_EQ(prepared_ - at_start, announced);
  EXPECT_LE(bytes_in_use(), early_bytes + kSlack);
}

}  // namespace
}  // namespace fermata
