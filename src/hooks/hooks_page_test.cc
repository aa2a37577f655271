// The code of docs/hooks.md, letter for letter, compiled and run. scripts/check_snippets.py compares the two.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/testkit/log_capture.h"
#include "hooks/hook_test_support.h"
#include "tests/support/temp_folder.h"

namespace {

// clang-format off
class Copier : public fermata::CheckpointSaverListener {
 public:
  bool after_save(fermata::Session&, fermata::Step step) override {
    copied = step;
    return step >= 3;  // enough
  }
  fermata::Step copied = -1;
};

class LossBelow : public fermata::SessionRunHook {
 public:
  explicit LossBelow(float limit) : limit_(limit) {}
  [[nodiscard]] std::vector<const fermata::SessionRunArgs*> announced() const override { return {&args_}; }
  [[nodiscard]] const fermata::SessionRunArgs* before_run(fermata::SessionRunContext&) override { return &args_; }
  void after_run(fermata::SessionRunContext& context, const fermata::SessionRunValues& values) override {
    if (values.results().scalar<float>(0) < limit_) {
      context.request_stop("the loss is small enough");
    }
  }

 private:
  fermata::SessionRunArgs args_{"train:0"};
  float limit_;
};

class HooksPageTest : public testing::Test {
 protected:
  HooksPageTest() { counter_.next_loss = [](int run) { return 1.0F / static_cast<float>(run); }; }

  std::string verdict_with(std::vector<fermata::HookPtr> hooks) {
    fermata::MonitoredSession loop(counter_.graph, {.hooks = std::move(hooks)});
    return loop.run_until_stopped([&] { loop.run(counter_.args); }).to_string();
  }

  fermata::CounterGraph counter_;
  fermata::testkit::LogCapture log_;
};

TEST_F(HooksPageTest, TheFirstExampleTrainsToItsStep) {
  fermata::native::Graph& graph = counter_.graph;
  fermata::SessionRunArgs& args = counter_.args;
  fermata::MonitoredSession loop(graph, {.hooks = {
      fermata::make_hook<fermata::StopAtStepHook>({.last_step = 1000}),
      fermata::make_hook<fermata::LoggingTensorHook>({.tensors = {{"loss", "train:0"}}, .every_n_iter = 100}),
  }});
  fermata::StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args); });
  EXPECT_EQ(verdict.step, 1000);
  EXPECT_EQ(log_.take().size(), 10U);
}

TEST_F(HooksPageTest, Stopping) {
  auto until_step = fermata::make_hook<fermata::StopAtStepHook>({.last_step = 10'000});
  auto fifty_more = fermata::make_hook<fermata::StopAtStepHook>({.num_steps = 50});
  auto two_hours = fermata::make_hook<fermata::TimeLimitHook>({.limit = std::chrono::hours(2)});
  EXPECT_EQ(verdict_with({until_step, fifty_more, two_hours}),
            "target reached at step 50 (StopAtStepHook#2): the target is step 50");
}

// Contract LOG-13.
TEST_F(HooksPageTest, Logging) {
  auto every_hundred = fermata::make_hook<fermata::LoggingTensorHook>(
      {.tensors = {{"loss", "train:0"}, {"weight", "w:0"}}, .every_n_iter = 100});
  auto at_the_end = fermata::make_hook<fermata::LoggingTensorHook>({.tensors = {{"", "w:0"}}, .at_end = true});
  verdict_with({every_hundred, at_the_end, fermata::make_hook<fermata::StopAtStepHook>({.last_step = 3})});
  EXPECT_EQ(log_.take(), (fermata::Lines{"INFO loss = 1.0, weight = 0.0", "INFO w:0 = 3.0"}));
}

// The folder of the examples is a new one.
TEST_F(HooksPageTest, FilesOfARun) {
  const fermata::TempFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  auto speed = fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = 100, .output_dir = "run"});
  auto speed_by_time =
      fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = std::nullopt, .every_n_secs = 10});
  auto scaffold = std::make_shared<fermata::Scaffold>();
  auto summaries = fermata::make_hook<fermata::SummarySaverHook>(
      {.save_steps = 100, .output_dir = "run", .scaffold = scaffold});
  auto saver = fermata::make_hook<fermata::CheckpointSaverHook>({.checkpoint_dir = "run", .save_steps = 500});
  counter_.graph.scalar_summary("c", counter_.graph.tensor("c:0"));
  {
    fermata::MonitoredSession loop(
        counter_.graph, {.session_creator = std::make_shared<fermata::ChiefSessionCreator>(
                             counter_.graph, fermata::ChiefSessionCreator::Options{.scaffold = scaffold}),
                         .hooks = {speed, speed_by_time, summaries, saver}});
    loop.run(counter_.args);
    loop.close();
  }
  const fermata::Lines events = fermata::event_lines("run");
  std::filesystem::current_path(before);
  EXPECT_EQ(events, (fermata::Lines{"version brain.Event:2", "CHECKPOINT step=0 path=run/model.ckpt",
                                    "START step=1", "summary step=1 c=1.5",
                                    "CHECKPOINT step=1 path=run/model.ckpt"}));
}

TEST_F(HooksPageTest, AListenerEndsTheLoop) {
  const fermata::TempFolder folder;
  auto copier = std::make_shared<Copier>();
  auto saver = fermata::make_hook<fermata::CheckpointSaverHook>(
      {.checkpoint_dir = folder / "run", .save_steps = 1, .listeners = {copier}});
  verdict_with({saver});
  EXPECT_EQ(copier->copied, 3);
}

TEST_F(HooksPageTest, WatchingForNan) {
  auto watch = fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {"train:0"}});
  auto stop_only =
      fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {"train:0"}, .fail_on_nan_loss = false});
  EXPECT_EQ(verdict_with({watch, stop_only, std::make_shared<LossBelow>(0.3F)}),
            "stop requested at step 4 (LossBelow): the loss is small enough");
}

TEST_F(HooksPageTest, FeedingAndFinalValues) {
  counter_.graph.placeholder<float>("x");
  float batch = 0;
  auto final_values = fermata::make_hook<fermata::FinalOpsHook>({.final_ops = {"w:0"}});
  auto feed = fermata::make_hook<fermata::FeedFnHook>({.feed_fn = [&] {
    return std::vector<std::pair<std::string, fermata::Tensor>>{{"x:0", fermata::Tensor::scalar(batch++)}};
  }});
  verdict_with({final_values, feed, fermata::make_hook<fermata::StopAtStepHook>({.last_step = 2})});
  EXPECT_EQ(batch, 2);
  EXPECT_EQ(final_values->final_ops_values()->front().view().scalar<float>(), 2);
}

TEST_F(HooksPageTest, WaitingAndProfiling) {
  const fermata::TempFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  auto second_worker = fermata::make_hook<fermata::GlobalStepWaiterHook>({.wait_until_step = 1000});
  auto profiler = fermata::make_hook<fermata::ProfilerHook>({.save_steps = 1000, .output_dir = "run"});
  {
    fermata::MonitoredSession loop(counter_.graph, {.hooks = {second_worker, profiler}});
    counter_.graph.set_global_step(1000);
    loop.run(counter_.args);
    loop.run(counter_.args);
  }
  const bool written = std::filesystem::exists("run/timeline-1002.json");
  std::filesystem::current_path(before);
  EXPECT_TRUE(written);
}
// clang-format on

}  // namespace
