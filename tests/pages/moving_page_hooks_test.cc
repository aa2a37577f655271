// The C++ code of docs/moving_from_tf1.md about hooks, letter for letter, compiled and run.
// scripts/check_snippets.py compares the two.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "tests/pages/moving_page_fixture.h"

namespace {

class MovingPageHooksTest : public MovingPageTest {};

// clang-format off
class LossBelow : public fermata::SessionRunHook {
 public:
  explicit LossBelow(float limit) : limit_(limit) {}

  void begin(fermata::Graph& graph) override {
    request_ = fermata::SessionRunArgs({"loss:0"});
    request_.feed(graph.tensor("y:0"), fermata::Tensor::of<std::int64_t>({64}, std::vector<std::int64_t>(64)));
  }
  void after_create_session(fermata::Session&, fermata::Coordinator*) override { losses.clear(); }
  [[nodiscard]] std::vector<const fermata::SessionRunArgs*> announced() const override { return {&request_}; }
  [[nodiscard]] const fermata::SessionRunArgs* before_run(fermata::SessionRunContext&) override {
    return &request_;
  }
  void after_run(fermata::SessionRunContext& context, const fermata::SessionRunValues& values) override {
    losses.push_back(values.results().scalar<float>(0));
    if (losses.back() < limit_) {
      context.request_stop("the loss is small enough");
    }
  }
  void end(fermata::Session& session) override { last_step = fermata::global_step(session); }

  std::vector<float> losses;
  fermata::Step last_step = 0;

 private:
  float limit_;
  fermata::SessionRunArgs request_;
};

class Copier : public fermata::CheckpointSaverListener {
 public:
  void begin() override { saved.clear(); }
  void before_save(fermata::Session&, fermata::Step) override {}
  bool after_save(fermata::Session&, fermata::Step global_step_value) override {
    saved.push_back(global_step_value);
    return global_step_value >= 4;  // ends the loop
  }
  void end(fermata::Session&, fermata::Step) override {}

  std::vector<fermata::Step> saved;
};

TEST_P(MovingPageHooksTest, AHookOfYourOwn) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  auto hook = std::make_shared<LossBelow>(2.0F);
  fermata::MonitoredSession session(graph, {.hooks = {hook}});
  fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(args); });
  EXPECT_EQ(verdict.message, "the loss is small enough");
  EXPECT_EQ(verdict.step, static_cast<fermata::Step>(hook->losses.size()));
  EXPECT_EQ(verdict.step, hook->last_step);
}

TEST_P(MovingPageHooksTest, StoppingWatchingAndLogging) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  auto stop = fermata::make_hook<fermata::StopAtStepHook>({.last_step = 10});
  auto more = fermata::make_hook<fermata::StopAtStepHook>({.num_steps = 5});
  auto nan = fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {"loss:0"}, .fail_on_nan_loss = false});
  auto log = fermata::make_hook<fermata::LoggingTensorHook>(
      {.tensors = {{"loss", "loss:0"}}, .every_n_iter = 100, .at_end = true});
  auto by_time = fermata::make_hook<fermata::LoggingTensorHook>(
      {.tensors = {{"", "loss:0"}}, .every_n_secs = 10, .formatter = [](const auto& values) {
         std::string line;
         for (const auto& [tag, value] : values) {
           line += (line.empty() ? "" : " / ") + std::to_string(value.template scalar<float>());
         }
         return line;
       }});
  fermata::MonitoredSession session(graph, {.hooks = {stop, more, nan, log, by_time}});
  fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(args); });
  EXPECT_EQ(verdict.step, 5);
  const std::vector<std::string> lines = log_.take();
  EXPECT_EQ(lines.at(0).substr(0, 11), "INFO loss =");
  EXPECT_EQ(lines.at(1).substr(0, 7), "INFO 2.");
}

TEST_P(MovingPageHooksTest, TheOthers) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  auto final_ops = fermata::make_hook<fermata::FinalOpsHook>(
      {.final_ops = {"loss:0"}, .final_ops_feed_dict = {{"x:0", rows}}});
  auto feed = fermata::make_hook<fermata::FeedFnHook>({.feed_fn = [&] {
    return std::vector<std::pair<std::string, fermata::Tensor>>{{"x:0", rows}};
  }});
  auto wait = fermata::make_hook<fermata::GlobalStepWaiterHook>({.wait_until_step = 0});
  auto rate = fermata::make_hook<fermata::StepCounterHook>(
      {.every_n_steps = std::nullopt, .every_n_secs = 10, .output_dir = "run"});
  auto summaries = fermata::make_hook<fermata::SummarySaverHook>(
      {.save_steps = 100, .output_dir = "run", .summary_op = {*graph.default_summary_op()}});
  auto profile = fermata::make_hook<fermata::ProfilerHook>(
      {.save_steps = 1000, .output_dir = "run", .show_dataflow = true, .show_memory = false});
  auto last = fermata::make_hook<fermata::StopAtStepHook>({.num_steps = 2});
  fermata::MonitoredSession session(graph, {.hooks = {last, final_ops, feed, wait, rate, summaries, profile}});
  fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(args); });
  const std::vector<fermata::Tensor>& values = *final_ops->final_ops_values();
  EXPECT_EQ(verdict.step, 2);
  EXPECT_LT(values.front().view().scalar<float>(), 2.3F);
  EXPECT_FALSE(std::filesystem::is_empty("run"));
}

TEST_P(MovingPageHooksTest, Checkpoints) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  auto copier = std::make_shared<Copier>();
  auto saver_hook = fermata::make_hook<fermata::CheckpointSaverHook>(
      {.checkpoint_dir = "run",
       .save_steps = 2,
       .saver = std::make_shared<fermata::Saver>(*graph.default_saver(), fermata::Saver::Options{.max_to_keep = 3}),
       .checkpoint_basename = "model.ckpt",
       .listeners = {copier},
       .save_graph_def = true});
  fermata::MonitoredSession session(graph, {.hooks = {saver_hook}});
  fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(args); });
  EXPECT_EQ(verdict.step, 4);
  EXPECT_EQ(copier->saved, (std::vector<fermata::Step>{0, 2, 4}));
  EXPECT_TRUE(fermata::checkpoint_exists("run/model.ckpt-4"));
}

INSTANTIATE_TEST_SUITE_P(Native, MovingPageHooksTest, testing::Values("native"));
INSTANTIATE_TEST_SUITE_P(Tensorflow, MovingPageHooksTest, testing::Values("tensorflow"));

TEST(MovingPageTimerTest, ATimer) {
  fermata::SecondOrStepTimer timer({.every_steps = 10});
  fermata::SecondOrStepTimer::Elapsed elapsed;
  if (timer.should_trigger_for_step(1)) {
    elapsed = timer.update_last_triggered_step(1);
  }
  std::optional<fermata::Step> last = timer.last_triggered_step();
  timer.reset();
  EXPECT_FALSE(elapsed.steps);
  EXPECT_EQ(last, 1);
  EXPECT_FALSE(timer.last_triggered_step());
}
// clang-format on

}  // namespace
