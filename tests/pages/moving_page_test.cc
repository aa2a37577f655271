// The C++ code of docs/moving_from_tf1.md but for the hooks, letter for letter, compiled and run.
// scripts/check_snippets.py compares the two.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "tests/pages/moving_page_fixture.h"

namespace {

// clang-format off
class Counted : public fermata::SessionCreator {
 public:
  explicit Counted(std::shared_ptr<fermata::SessionCreator> creator) : creator_(std::move(creator)) {}
  [[nodiscard]] fermata::CreatedSession create_session(const fermata::CreationRequest& request) override {
    ++sessions;
    return creator_->create_session(request);
  }
  [[nodiscard]] fermata::Graph& graph() const override { return creator_->graph(); }
  int sessions = 0;

 private:
  std::shared_ptr<fermata::SessionCreator> creator_;
};

TEST(MovingPageTensorflowTest, OpeningAGraph) {
  const EmptyFolder folder;
  std::filesystem::copy(page_model(), "model.meta");
  fermata::tensorflow::Model graph = fermata::tensorflow::open("model.meta");
  EXPECT_TRUE(graph.has_train_op());
}

TEST_P(MovingPageTest, ATrainingSession) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  fermata::FeedSlot x = args.feed("x:0");
  fermata::MonitoredSession session = fermata::monitored_training_session(
      graph, {.checkpoint_dir = "run",
              .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = 10})},
              .announce = {&args}});
  float value = 0;
  fermata::StopVerdict verdict = session.run_until_stopped([&] {
    x.set(rows);
    value = session.run(args).scalar<float>(1);
  });
  EXPECT_EQ(verdict.reason, fermata::StopReason::kTargetReached);
  EXPECT_EQ(verdict.step, 10);
  EXPECT_LT(value, 2.3F);
}

TEST_P(MovingPageTest, AllArgumentsOfATrainingSession) {
  fermata::MonitoredSession session = fermata::monitored_training_session(
      graph, {.config = {.target = "", .intra_op_threads = 1},
              .is_chief = true,
              .checkpoint_dir = "run",
              .scaffold = std::make_shared<fermata::Scaffold>(),
              .hooks = {},
              .chief_only_hooks = {},
              .save_checkpoint_secs = 600,
              .save_checkpoint_steps = std::nullopt,
              .save_summaries_steps = 100,
              .save_summaries_secs = std::nullopt,
              .log_step_count_steps = 100,
              .max_wait = std::chrono::hours(2),
              .summary_dir = "summaries",
              .save_graph_def = true,
              .stop_grace_period = std::chrono::minutes(2)});
  session.close();
  EXPECT_TRUE(fermata::checkpoint_exists("run/model.ckpt-0"));
}

TEST_P(MovingPageTest, AMonitoredSession) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  fermata::MonitoredSession session(
      graph, {.session_creator = std::make_shared<fermata::ChiefSessionCreator>(graph),
              .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.num_steps = 3})},
              .stop_grace_period = std::chrono::seconds(10)});
  while (!session.should_stop()) {
    session.run(args);
  }
  session.close();
  EXPECT_EQ(session.verdict()->step, 3);
}

TEST_P(MovingPageTest, ASingularSession) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  fermata::SingularMonitoredSession session(
      graph, {.hooks = {}, .scaffold = nullptr, .config = {.target = ""}, .checkpoint_dir = "run",
              .stop_grace_period = std::chrono::minutes(2)});
  session.run(args);
  fermata::Session* raw = session.raw_session();
  session.close();
  EXPECT_NE(raw, nullptr);
  EXPECT_EQ(session.raw_session(), nullptr);
}

TEST_P(MovingPageTest, ARun) {
  fermata::SessionRunArgs request({"train", "loss:0", "y:0"});
  request.feed("x:0", rows);
  request.feed("y:0", digits);
  request.set_options({.timeout = std::chrono::seconds(10)});
  fermata::MonitoredSession session(graph, {.announce = {&request}});
  fermata::ResultsView results = session.run(request);
  float value = results.scalar<float>(1);
  std::int64_t first = results[2].values<std::int64_t>()[0];
  session.close();
  EXPECT_GT(value, 0.0F);
  EXPECT_EQ(first, 1);
}

TEST_P(MovingPageTest, AStepFunction) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  fermata::MonitoredSession session(graph, {.announce = {&args}});
  float value = session.run_step_fn([&](fermata::StepContext& step_context) {
    if (step_context.session().run("loss:0").view().scalar<float>() < 0.1F) {
      step_context.request_stop();
    }
    return step_context.run_with_hooks(args).scalar<float>(1);
  });
  session.close();
  EXPECT_GT(value, 0.0F);
}

TEST_P(MovingPageTest, AScaffold) {
  fermata::Scaffold scaffold({
      .init_op = graph.default_init_op(),
      .init_feed_dict = {{"x:0", rows}},
      .init_fn = [](fermata::Scaffold&, fermata::Session& session) { (void)session.run("loss:0"); },
      .ready_op = graph.default_ready_op(),
      .ready_for_local_init_op = graph.default_ready_for_local_init_op(),
      .local_init_op = graph.default_local_init_op(),
      .local_init_feed_dict = {{"x:0", rows}},
      .summary_op = graph.default_summary_op(),
      .saver = std::make_shared<fermata::Saver>(*graph.default_saver(), fermata::Saver::Options{.max_to_keep = 2})});
  fermata::Scaffold copy({.init_fn = [](fermata::Scaffold&, fermata::Session&) {}}, scaffold);
  copy.finalize(graph);
  EXPECT_EQ(copy.init_op()->name(), scaffold.init_op()->name());
  EXPECT_EQ(copy.saver(), scaffold.saver());
  EXPECT_TRUE(graph.finalized());
}

// Contract SC-4.
TEST_P(MovingPageTest, SessionCreators) {
  fermata::SessionRunArgs args({"train", "loss:0"});
  auto chief = std::make_shared<fermata::ChiefSessionCreator>(
      graph, fermata::ChiefSessionCreator::Options{.scaffold = std::make_shared<fermata::Scaffold>(),
                                                   .config = {.target = ""},
                                                   .checkpoint_dir = "run",
                                                   .checkpoint_filename_with_path = ""});
  auto worker = std::make_shared<fermata::WorkerSessionCreator>(
      graph, fermata::WorkerSessionCreator::Options{.scaffold = std::make_shared<fermata::Scaffold>(),
                                                    .config = {.target = ""},
                                                    .max_wait = std::chrono::minutes(30)});
  auto counted = std::make_shared<Counted>(chief);
  fermata::MonitoredSession session(graph, {.session_creator = counted});
  session.run(args);
  session.close();
  EXPECT_EQ(counted->sessions, 1);
  EXPECT_NE(worker->scaffold(), chief->scaffold());
}

TEST_P(MovingPageTest, AManager) {
  auto saver = std::make_shared<fermata::Saver>(*graph.default_saver());
  fermata::SessionManager manager(graph, {.local_init_op = {graph.default_local_init_op()},
                                          .ready_op = graph.default_ready_op(),
                                          .recovery_wait = std::chrono::seconds(1)});
  fermata::CreatedSession prepared = manager.prepare_session(
      {.init_op = {graph.default_init_op()}, .saver = saver, .checkpoint_dir = "run"});
  saver->save(*prepared.session, "run/model.ckpt", 0);
  fermata::SessionManager::Recovered recovered = manager.recover_session({.saver = saver, .checkpoint_dir = "run"});
  bool initialized = recovered.initialized;
  EXPECT_EQ(prepared.restored_from, "");
  EXPECT_EQ(recovered.created.restored_from, "run/model.ckpt-0");
  EXPECT_TRUE(initialized);
}

TEST_P(MovingPageTest, ASaverAndWhatItLeft) {
  fermata::Saver saver(graph.add_saver({{"w", "weights"}}), {.max_to_keep = 2,
                                                             .keep_checkpoint_every_n_hours = 1,
                                                             .pad_step_number = true,
                                                             .save_relative_paths = true});
  fermata::SingularMonitoredSession session(graph);
  std::string prefix = saver.save(*session.raw_session(), "saved/part", 3, {.write_meta_graph = false});
  saver.restore(*session.raw_session(), prefix);
  session.close();
  std::vector<std::string> mine = saver.last_checkpoints();
  saver.recover_last_checkpoints(mine);
  saver.set_last_checkpoints(mine);
  EXPECT_EQ(prefix, "saved/part-00000003");
  EXPECT_EQ(mine.size(), 1U);
  std::string latest = fermata::latest_checkpoint("saved").value();
  bool exists = fermata::checkpoint_exists(latest);
  fermata::CheckpointState state = fermata::get_checkpoint_state("saved").value();
  std::vector<std::string> paths = state.all_model_checkpoint_paths;
  std::vector<double> times = fermata::get_checkpoint_mtimes(paths);
  fermata::update_checkpoint_state("saved", {.model_checkpoint_path = latest, .all_model_checkpoint_paths = paths});
  fermata::Tensor value = fermata::CheckpointReader(latest).get_tensor("w");
  fermata::remove_checkpoint(latest);
  EXPECT_EQ(latest, prefix);
  EXPECT_TRUE(exists);
  EXPECT_EQ(times.size(), 1U);
  EXPECT_EQ(value.shape().front(), 64);
  EXPECT_FALSE(fermata::checkpoint_exists(latest));
}

TEST_P(MovingPageTest, TheGlobalStep) {
  std::optional<fermata::VariableInfo> found = fermata::get_global_step(graph);
  fermata::VariableInfo step = fermata::get_or_create_global_step(graph);
  fermata::SingularMonitoredSession session(graph);
  fermata::Step now = fermata::global_step(*session.raw_session());
  session.close();
  EXPECT_EQ(found->name, step.name);
  EXPECT_EQ(now, 0);
}

INSTANTIATE_TEST_SUITE_P(Native, MovingPageTest, testing::Values("native"));
INSTANTIATE_TEST_SUITE_P(Tensorflow, MovingPageTest, testing::Values("tensorflow"));

TEST(MovingPageThreadsTest, AWriter) {
  const EmptyFolder folder;
  fermata::EventWriter writer("logs", {.filename_suffix = ".mine", .flush_interval = std::chrono::seconds(120)});
  writer.add_scalar("rate", 0.5, 3);
  writer.flush();
  writer.close();
  std::shared_ptr<fermata::EventWriter> shared = fermata::shared_event_writer("logs");
  EXPECT_NE(shared->path(), writer.path());
}

TEST(MovingPageThreadsTest, ALooper) {
  fermata::Coordinator coord;
  int calls = 0;
  auto looper = fermata::LooperThread::loop(coord, std::nullopt, [&] {
    if (++calls == 3) {
      coord.request_stop();
    }
  });
  coord.stop_on_exception([&] { coord.wait_for_stop(std::chrono::seconds(10)); });
  coord.join(std::chrono::seconds(10), false);
  coord.raise_requested_exception();
  bool stopped = coord.should_stop();
  coord.clear_stop();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(calls, 3);
  looper.join();
}

TEST(MovingPageThreadsTest, AQueueRunner) {
  NativePageGraph graph;
  auto runner = std::make_shared<fermata::QueueRunner>(
      graph, fermata::QueueRunnerInfo{.queue = "numbers", .enqueue_ops = {"enqueue", "enqueue"}});
  fermata::add_queue_runner(graph, runner);
  std::unique_ptr<fermata::Session> session = graph.create_session({});
  fermata::Coordinator coord;
  std::vector<fermata::QueueRunnerThread> threads =
      fermata::start_queue_runners(*session, {.coordinator = &coord, .start = true});
  coord.request_stop();
  coord.join();
  EXPECT_EQ(runner->name(), "numbers");
  EXPECT_EQ(threads.size(), 3U);
}
// clang-format on

}  // namespace
