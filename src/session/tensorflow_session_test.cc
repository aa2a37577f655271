// Sessions, their hooks and threads around TensorFlow's own graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/fermata.h"
#include "fermata/testkit/manual_clock.h"
#include "fermata/testkit/recording_hook.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using tensorflow::fixture;
using tensorflow::Model;
using testing::ElementsAre;
using testing::HasSubstr;

SessionRunArgs train_args(const Model& model) { return SessionRunArgs({model.train_op(), "loss:0"}); }

// The name of the graph's only queue.
std::string queue_of(const Model& model) { return model.queue_runners().front().queue; }

TEST(TensorflowSessionTest, AManagerInitialisesSavesRecoversAndWaits) {
  const TempFolder folder;
  Model model = tensorflow::open(fixture("partitioned.meta"));
  const auto saver = std::make_shared<Saver>(model.default_saver().value());
  const tensorflow::Pieces pieces(model);
  SessionManager manager(model, {.local_init_op = {pieces.local_init},
                                 .ready_op = pieces.ready,
                                 .ready_for_local_init_op = pieces.ready_for_local_init,
                                 .clock = std::make_shared<testkit::ManualClock>()});
  CreatedSession prepared =
      manager.prepare_session({.init_op = {pieces.init}, .saver = saver, .checkpoint_dir = folder.path()});
  EXPECT_FALSE(manager.recover_session({.saver = saver, .checkpoint_dir = folder.path()}).initialized);
  saver->save(*prepared.session, folder / "model.ckpt", 0);
  EXPECT_TRUE(manager.recover_session({.saver = saver, .checkpoint_dir = folder.path()}).initialized);
  // Another session of this process has variables of its own, which nobody initialises.
  try {
    static_cast<void>(manager.wait_for_session({.max_wait = std::chrono::seconds(60)}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(error.what(), HasSubstr("global_step"));
  }
}

TEST(TensorflowSessionTest, AStepFunctionRunsTheRawSessionAndTheHooks) {
  Model model = tensorflow::open(fixture("counter.meta"));
  const SessionRunArgs args = train_args(model);
  SingularMonitoredSession loop(model, {.hooks = {make_hook<StopAtStepHook>({.last_step = 3})}});
  std::vector<float> losses;
  while (!loop.should_stop()) {
    losses.push_back(loop.run_step_fn([&](StepContext& context) {
      static_cast<void>(context.session().run("loss:0"));
      return context.run_with_hooks(args).scalar<float>(1);
    }));
  }
  EXPECT_THAT(losses, ElementsAre(100, 99, 98));
  EXPECT_EQ(loop.close().reason, StopReason::kTargetReached);
}

TEST(TensorflowSessionTest, AQueueIsFilledUnderACoordinator) {
  Model model = tensorflow::open(fixture("queue.meta"));
  const tensorflow::Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  tensorflow::initialize(*session, pieces);
  Coordinator coordinator;
  const auto threads = start_queue_runners(*session, {.coordinator = &coordinator});
  ASSERT_FALSE(threads.empty());
  EXPECT_TRUE(start_queue_runners(*session, {.coordinator = &coordinator}).empty());
  const SessionRunArgs args = train_args(model);
  int runs = 0;
  try {
    for (;; ++runs) {
      static_cast<void>(session->run(args));
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kOutOfRange);
  }
  EXPECT_EQ(runs, 10);
  coordinator.request_stop();
  coordinator.join();
}

// The runner's own close operations are added to the graph.
TEST(TensorflowSessionTest, ARunnerOfYourOwnClosesTheQueueOfAGraph) {
  Model model = tensorflow::open(fixture("queue.meta"));
  QueueRunnerInfo info = model.queue_runners().front();
  info.close_op.clear();
  info.cancel_op.clear();
  QueueRunner runner(model, info);
  EXPECT_EQ(model.operation_type(model.operation(runner.info().close_op).node), "QueueCloseV2");
  EXPECT_NE(runner.info().close_op, runner.info().cancel_op);
  const tensorflow::Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  tensorflow::initialize(*session, pieces);
  Coordinator coordinator;
  const auto threads = runner.create_threads(*session, {.coordinator = &coordinator, .start = true});
  const SessionRunArgs args = train_args(model);
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(session->run(args));
  }
  EXPECT_THROW(static_cast<void>(session->run(args)), Error);
  coordinator.request_stop();
  coordinator.join();
}

TEST(TensorflowSessionTest, ARunnerThatWasAddedIsInTheMetaGraph) {
  const TempFolder folder;
  Model model = tensorflow::open(fixture("queue.meta"));
  QueueRunnerInfo info = model.queue_runners().front();
  info.queue_closed_codes = {Code::kCancelled};
  add_queue_runner(model, std::make_shared<QueueRunner>(model, info));
  EXPECT_EQ(queue_runners_of(model).size(), 2U);
  std::ofstream(folder / "written.meta", std::ios::binary) << model.meta_graph_def();
  Model again = tensorflow::open(folder / "written.meta");
  const std::vector<QueueRunnerInfo> read = again.queue_runners();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].queue_closed_codes, std::vector<Code>{Code::kOutOfRange});
  EXPECT_EQ(read[1].enqueue_ops, info.enqueue_ops);
  EXPECT_EQ(read[1].close_op, info.close_op);
  EXPECT_EQ(read[1].queue_closed_codes, std::vector<Code>{Code::kCancelled});
  EXPECT_THROW(again.add_to_collection("queue_runners", "no definition"), Error);
}

// report TH-01
TEST(TensorflowSessionTest, AStopCancelsAnEnqueueThatWaitsForRoom) {
  Model model = tensorflow::open(fixture("queue.meta"));
  const tensorflow::Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  tensorflow::initialize(*session, pieces);
  Coordinator coordinator;
  const auto threads = start_queue_runners(*session, {.coordinator = &coordinator});
  static_cast<void>(session->run(train_args(model)));
  coordinator.request_stop();
  coordinator.join(std::chrono::seconds(30));
  EXPECT_TRUE(std::none_of(threads.begin(), threads.end(), [](const auto& thread) {
    return thread.is_alive();
  })) << queue_of(model);
}

TEST(TensorflowSessionTest, AProfileShowsTensorflowsOperations) {
  const TempFolder folder;
  Model model = tensorflow::open(fixture("softmax.meta"));
  const SessionRunArgs args = train_args(model);
  MonitoredSession loop(model, {.hooks = {make_hook<ProfilerHook>(
                                    {.save_steps = 1, .output_dir = folder.path(), .show_memory = true})}});
  loop.run(args);
  loop.run(args);
  loop.close();
  std::ifstream file(folder / "timeline-2.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("CPU:0 Compute"));
  EXPECT_THAT(text, HasSubstr("\"op\":\"MatMul\""));
  EXPECT_THAT(text, HasSubstr("\"cat\":\"Memory\""));
}

TEST(TensorflowSessionTest, ATraceIsAnnouncedSoTheExecutorRecords) {
  Model model = tensorflow::open(fixture("counter.meta"));
  EXPECT_EQ(MonitoredSession(model).raw_session()->executor(), Executor::kSingle);
  const TempFolder folder;
  MonitoredSession profiled(
      model, {.hooks = {make_hook<ProfilerHook>({.save_steps = 1, .output_dir = folder.path()})}});
  EXPECT_NE(profiled.raw_session()->executor(), Executor::kSingle);
}

TEST(TensorflowSessionTest, AWaiterLooksAtTheStepOfTheGraph) {
  const auto clock = std::make_shared<testkit::ManualClock>();
  Model model = tensorflow::open(fixture("counter.meta"));
  const SessionRunArgs args = train_args(model);
  MonitoredSession loop(model,
                        {.hooks = {make_hook<GlobalStepWaiterHook>({.wait_until_step = 2, .clock = clock})}});
  clock->on_pause([&](auto) { static_cast<void>(loop.raw_session()->run(args)); });
  loop.run(args);
  EXPECT_EQ(loop.step(), 3);
  EXPECT_EQ(clock->pauses().size(), 2U);
}

// Contract RUN-18.
TEST(TensorflowSessionTest, PartitionGraphsComeIfAskedFor) {
  Model model = tensorflow::open(fixture("counter.meta"));
  std::vector<std::size_t> sizes;
  const auto watching = std::make_shared<testkit::RecordingHook>(testkit::RecordingHook::Options{});
  watching->at(testkit::Callback::kAfterRun, [&](const testkit::CallbackArguments& arguments) {
    sizes.push_back(arguments.values->run_metadata().serialized.size());
  });
  SessionRunArgs args = train_args(model);
  args.set_options({.output_partition_graphs = true});
  MonitoredSession loop(model, {.hooks = {watching}});
  loop.run(args);
  loop.run(train_args(model));
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_GT(sizes[0], 100U);
  EXPECT_EQ(sizes[1], 0U);
}

// Contract FILES-4.
TEST(TensorflowSessionTest, TheEventFileHasTheGraphOfTheWriterAndThatOfTheSession) {
  const TempFolder folder;
  Model model = tensorflow::open(fixture("counter.meta"));
  const SessionRunArgs args = train_args(model);
  monitored_training_session(model, {.checkpoint_dir = folder.path()}).close();
  std::vector<LoggedEvent::Kind> kinds;
  EventFiles(folder.path()).read([&](const LoggedEvent& event) { kinds.push_back(event.kind); });
  using Kind = LoggedEvent::Kind;
  EXPECT_THAT(kinds, ElementsAre(Kind::kVersion, Kind::kGraph, Kind::kMetaGraph, Kind::kGraph,
                                 Kind::kMetaGraph, Kind::kSession));
}

}  // namespace
}  // namespace fermata
