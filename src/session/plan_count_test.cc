// A session prepares a closed set of plans: one for each choice of requests that its hooks can make.
#include <gtest/gtest.h>
#include <malloc.h>

#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/hooks/final_ops_hook.h"
#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/nan_tensor_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/hooks/summary_saver_hook.h"
#include "fermata/monitored_session.h"
#include "fermata/testkit/log_capture.h"
#include "tests/support/faulty_graph.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

constexpr Step kSteps = 1'000'000;

class PlanCountTest : public testing::Test {
 protected:
  PlanCountTest() {
    graph_.faults.before_call = [this](EngineCall call) {
      prepared_ += call == EngineCall::kPrepare ? 1 : 0;
    };
    graph_.variable("w", native::view(w_));
    train_ = graph_.step("train", {.outputs = {"loss"}},
                         [this](native::StepOutputs& out) { out.set("loss", w_ += 1); });
    graph_.scalar_summary("loss", train_.output("loss"));
    args_ = SessionRunArgs({train_, train_.output("loss")});
  }

  // Each with a period of its own; they meet every 1,800 steps.
  std::vector<HookPtr> hooks() {
    return {
        make_hook<StopAtStepHook>({.last_step = kSteps}),
        make_hook<LoggingTensorHook>({.tensors = {{"w", "w:0"}}, .every_n_iter = 200}),
        make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_.path(), .save_steps = kSteps / 2}),
        make_hook<StepCounterHook>({.every_n_steps = 300}),
        make_hook<SummarySaverHook>(
            {.save_steps = 450, .output_dir = folder_.path(), .summary_op = {*graph_.default_summary_op()}}),
        make_hook<NanTensorHook>({.loss_tensors = {train_.output("loss")}}),
        make_hook<FinalOpsHook>({.final_ops = {train_.output("loss")}})};
  }

  TempFolder folder_;
  testkit::LogCapture log_;
  FaultyGraph graph_;
  float w_ = 0;
  Operation train_;
  SessionRunArgs args_;
  int prepared_ = 0;
};

TEST_F(PlanCountTest, AMillionStepsPrepareOnePlanForEachChoiceOfRequests) {
  MonitoredSession loop(graph_, {.hooks = hooks(), .announce = {&args_}});
  const int before = prepared_;
  while (loop.step() < 2000) {
    loop.run(args_);
  }
  // Of the requests that come and go there are two: of the log and of the summary.
  const int prepared = prepared_;
  EXPECT_EQ(prepared - before, 4);
  static_cast<void>(log_.take());
  const std::size_t memory = mallinfo2().uordblks;
  while (!loop.should_stop()) {
    loop.run(args_);
    if (*loop.step() % 10'000 == 0) {
      static_cast<void>(log_.take());
    }
  }
  EXPECT_EQ(prepared_, prepared);
  // What the event writer holds at the moment comes and goes.
  EXPECT_LT(mallinfo2().uordblks, memory + (1 << 20));
  EXPECT_EQ(loop.close().step, kSteps);
}

}  // namespace
}  // namespace fermata
