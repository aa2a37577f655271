// The code of docs/sessions.md, letter for letter, compiled and run. scripts/check_snippets.py compares the
// two.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "fermata/fermata.h"
#include "session/loop_fixture.h"

namespace {

class SessionsPageTest : public fermata::LoopTest {
 protected:
  SessionsPageTest() { std::filesystem::remove_all(dir); }
  ~SessionsPageTest() override { std::filesystem::remove_all(dir); }

  std::string dir = testing::TempDir() + "sessions_page_test";
  std::string target = "the server";
  std::stop_source stop;
  fermata::native::Graph& graph = graph_;
  fermata::SessionRunArgs& args = args_;
};

// clang-format off
TEST_F(SessionsPageTest, TrainingSession) {
  fermata::MonitoredSession loop = fermata::monitored_training_session(
      graph, {.checkpoint_dir = dir,
              .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = 10})},
              .save_checkpoint_steps = 4,
              .save_summaries_secs = std::nullopt});
  fermata::StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args); });
  EXPECT_EQ(verdict.step, 10);
  EXPECT_TRUE(fermata::checkpoint_exists(dir + "/model.ckpt-8"));
}

TEST_F(SessionsPageTest, Worker) {
  fermata::MonitoredSession chief = fermata::monitored_training_session(graph, {.config = {.target = target}});
  auto creator = std::make_shared<fermata::WorkerSessionCreator>(
      graph, fermata::WorkerSessionCreator::Options{.config = {.target = target}, .max_wait = std::chrono::minutes(5)});
  fermata::MonitoredSession worker(graph, {.session_creator = creator, .stop = stop.get_token()});
  stop.request_stop();
  EXPECT_TRUE(worker.should_stop());
}

TEST_F(SessionsPageTest, Manager) {
  auto saver = std::make_shared<fermata::Saver>(*graph.default_saver());
  fermata::SessionManager manager(graph, {.ready_op = graph.default_ready_op()});
  fermata::CreatedSession prepared = manager.prepare_session(
      {.init_op = {graph.default_init_op()}, .saver = saver, .checkpoint_dir = dir});
  saver->save(*prepared.session, dir + "/model.ckpt", 0);
  fermata::SessionManager::Recovered recovered = manager.recover_session({.saver = saver, .checkpoint_dir = dir});
  EXPECT_TRUE(recovered.initialized);
}

TEST_F(SessionsPageTest, WaitingForASession) {
  fermata::SessionManager manager(graph);
  fermata::CreatedSession waited = manager.wait_for_session({.max_wait = std::chrono::minutes(1)});
  EXPECT_FALSE(waited.session->closed());
}

TEST_F(SessionsPageTest, Savers) {
  fermata::MonitoredSession loop(graph, {});
  loop.run(args);
  fermata::Session& session = *loop.raw_session();
  fermata::Saver saver(graph.add_saver({{"model/weight", "w"}}), {.max_to_keep = 2});
  std::string prefix = saver.save(session, dir + "/weights", fermata::global_step(session));
  saver.restore(session, prefix);
  EXPECT_EQ(prefix, dir + "/weights-1");

  fermata::Saver own(graph, {.max_to_keep = 3, .reshape = true, .defer_build = true});
  own.build();
  own.save(session, dir + "/extra", 7, {.latest_filename = "extra", .meta_graph_suffix = "graph"});
  own.save(session, dir + "/extra", 8, {.write_meta_graph = false, .write_state = false});
  EXPECT_EQ(fermata::latest_checkpoint(dir, "extra"), dir + "/extra-7");
}

TEST_F(SessionsPageTest, TheStep) {
  fermata::VariableInfo step = fermata::get_or_create_global_step(graph);
  EXPECT_EQ(step.name, "global_step");
}

TEST_F(SessionsPageTest, LostSession) {
  fermata::MonitoredSession careful(graph, {.recovery = {
      .recoverable = [](const std::exception_ptr& error) {
        return fermata::is_preemption(error) || fermata::code_of(error) == fermata::Code::kFailedPrecondition;
      },
      .max_attempts = 3}});
  EXPECT_EQ(careful.run(args).size(), args.fetches().size());
}

TEST_F(SessionsPageTest, StepFunction) {
  fermata::Output learning_rate = graph.constant("learning_rate", 0.5F);
  fermata::MonitoredSession loop(graph, {});
  float loss = loop.run_step_fn([&](fermata::StepContext& context) {
    fermata::Tensor rate = context.session().run(learning_rate);
    if (rate.view().scalar<float>() < 1e-6F) {
      context.request_stop("the learning rate is too small");
    }
    return context.run_with_hooks(args).scalar<float>(1);
  });
  EXPECT_EQ(loss, 1.0F);
}

TEST_F(SessionsPageTest, Looper) {
  int calls = 0;
  fermata::Coordinator coordinator;
  auto looper = fermata::LooperThread::loop(coordinator, std::chrono::milliseconds(1), [&] {
    if (++calls == 3) {
      coordinator.request_stop();
    }
  });
  coordinator.join();
  EXPECT_EQ(calls, 3);
}

TEST_F(SessionsPageTest, Queues) {
  int made = 0;
  bool closed = false;
  graph.operation("enqueue", {}, [&](fermata::native::StepOutputs&) {
    if (++made == 3) {
      throw fermata::StopIteration();
    }
  });
  graph.operation("close", {}, [&](fermata::native::StepOutputs&) { closed = true; });
  const auto session = graph.create_session({});
  fermata::add_queue_runner(graph, std::make_shared<fermata::QueueRunner>(
      graph, fermata::QueueRunnerInfo{.queue = "numbers", .enqueue_ops = {"enqueue"}, .close_op = "close"}));
  std::vector<fermata::QueueRunnerThread> threads = fermata::start_queue_runners(*session);
  threads.front().join();
  EXPECT_TRUE(closed);
}
// clang-format on

}  // namespace
