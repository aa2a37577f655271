#include "fermata/hooks/nan_tensor_hook.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fermata/monitored_session.h"
#include "fermata/testkit/log_capture.h"
#include "fermata/testkit/recording_hook.h"
#include "hooks/hook_test_support.h"

namespace fermata {
namespace {

using testkit::LogCapture;
using testkit::RecordingHook;

constexpr const char* kSentence =
    "NanTensorHook: 'train:0' is NaN at step 2; look for a learning rate that is too high, a division by "
    "zero or "
    "a logarithm of it";

// The loss of the second run is NaN.
class NanTensorHookTest : public testing::Test {
 protected:
  NanTensorHookTest() {
    counter_.next_loss = [](int run) { return run == 2 ? std::nanf("") : 1.0F; };
  }
  CounterGraph counter_;
  LogCapture log_;
};

TEST_F(NanTensorHookTest, WantsATensor) {
  EXPECT_EQ(thrown_by([] { NanTensorHook({}); }),
            "NanTensorHook: loss_tensors is empty; give at least one tensor to watch");
}

TEST_F(NanTensorHookTest, FailsTheRunAndNamesTensorAndStep) {
  MonitoredSession loop(counter_.graph, {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"train:0"}})}});
  loop.run(counter_.args);
  EXPECT_THROW(
      {
        try {
          loop.run(counter_.args);
        } catch (const NanLossError& error) {
          EXPECT_STREQ(error.what(), kSentence);
          throw;
        }
      },
      NanLossError);
  EXPECT_EQ(log_.take(), Lines{std::string("ERROR ") + kSentence});
}

TEST_F(NanTensorHookTest, LaterHooksAreNotToldOfTheRunAndNobodyOfAnEnd) {
  auto later = std::make_shared<RecordingHook>(RecordingHook::Options{.name = "h2"});
  MonitoredSession loop(counter_.graph,
                        {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"train:0"}}), later}});
  EXPECT_THROW(loop.run_until_stopped([&] { loop.run(counter_.args); }), NanLossError);
  EXPECT_EQ(later->calls(testkit::Callback::kAfterRun), 1U);
  EXPECT_EQ(later->calls(testkit::Callback::kEnd), 0U);
  EXPECT_EQ(later->calls(testkit::Callback::kFinished), 1U);
}

TEST_F(NanTensorHookTest, StopsCleanlyIfToldSo) {
  auto hook = make_hook<NanTensorHook>({.loss_tensors = {"train:0"}, .fail_on_nan_loss = false});
  MonitoredSession loop(counter_.graph, {.hooks = {hook}});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(counter_.args); });
  EXPECT_EQ(verdict.to_string(), "stop requested at step 2 (NanTensorHook): 'train:0' is NaN at step 2");
  EXPECT_EQ(log_.take(), Lines{std::string("WARNING ") + kSentence});
}

TEST_F(NanTensorHookTest, AnErrorThatIsCaughtLeavesTheLoopUsable) {
  MonitoredSession loop(counter_.graph, {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"train:0"}})}});
  loop.run(counter_.args);
  EXPECT_THROW(loop.run(counter_.args), NanLossError);
  EXPECT_FALSE(loop.should_stop());
  loop.run(counter_.args);
  EXPECT_EQ(loop.step(), 3);
}

// Contract NAN-5.
TEST_F(NanTensorHookTest, AnyElementOfAnyTensorCounts) {
  counter_.graph.constant("nan_vec", Tensor::of<float>({2}, {1, std::nanf("")}));
  MonitoredSession loop(counter_.graph,
                        {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"c:0", "nan_vec"}})}});
  EXPECT_NE(thrown_by([&] { loop.run(counter_.args); }).find("'nan_vec:0' is NaN at step 1"),
            std::string::npos);
}

// Contract NAN-4.
TEST_F(NanTensorHookTest, InfinityIsNotNan) {
  counter_.next_loss = [](int) { return std::numeric_limits<float>::infinity(); };
  MonitoredSession loop(counter_.graph, {.hooks = {make_hook<NanTensorHook>({.loss_tensors = {"train:0"}})}});
  loop.run(counter_.args);
  EXPECT_EQ(log_.take(), Lines{});
}

// Contract NAN-7.
TEST_F(NanTensorHookTest, AnUnknownNameFailsInBegin) {
  NanTensorHook hook({.loss_tensors = {"lost:0"}});
  EXPECT_EQ(code_thrown_by([&] { hook.begin(counter_.graph); }), Code::kNotFound);
}

// Contract NAN-7.
TEST_F(NanTensorHookTest, TakesTensorsAndNames) {
  for (const Fetch& loss : {Fetch(counter_.train.output("loss")), Fetch("train:0"), Fetch("train")}) {
    NanTensorHook hook({.loss_tensors = {loss}});
    hook.begin(counter_.graph);
    EXPECT_EQ(hook.announced().front()->fetches().front().name(), "train:0");
  }
}

}  // namespace
}  // namespace fermata
