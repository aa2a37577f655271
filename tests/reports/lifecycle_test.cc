// How a session lives and ends, and what its hooks are told.
#include <filesystem>
#include <set>
#include <thread>

#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class LifecycleReportsTest : public ReportsTest {};

// report LC-01
TEST_F(LifecycleReportsTest, ClosingTwiceAndMovingAwayHarmNothing) {
  auto watch = hook("watch");
  {
    MonitoredSession loop = session({watch});
    loop.close();
    EXPECT_EQ(loop.close().by, "close");
    EXPECT_THROW(loop.run(args_), Misuse);
  }
  EXPECT_EQ(watch->calls(Callback::kEnd), 1U);
  MonitoredSession first = session({});
  MonitoredSession second = std::move(first);
  EXPECT_THROW(first.run(args_), Misuse);           // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)first.should_stop(), Misuse);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(first.close(), Misuse);              // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.raw_session(), nullptr);          // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(first.verdict().has_value());        // NOLINT(bugprone-use-after-move)
  second.run(args_);
}

// report LC-02
TEST_F(LifecycleReportsTest, EachCauseOfAnEndIsAValueOfItsOwn) {
  std::set<std::string> causes;
  const auto note = [&](const StopVerdict& verdict) {
    causes.insert(std::string(stop_reason_name(verdict.reason)) + " by " + verdict.by);
  };
  note(train({until(2)}));
  start_at(1);
  note(train({until(1)}));
  start_at(0);
  fault_ = [](int call) { call == 4 ? throw StopIteration() : void(); };
  note(train({}));
  fault_ = nullptr;
  note(train({make_hook<TimeLimitHook>({.limit = std::chrono::nanoseconds(1), .clock = clock_}),
              make_hook<FeedFnHook>({.feed_fn = [&] {
                clock_->advance_seconds(1);
                return std::vector<std::pair<std::string, Tensor>>();
              }})}));
  MonitoredSession asked = session({});
  asked.request_stop("first", StopReason::kRequested);
  asked.request_stop("second", StopReason::kDeadline);
  note(asked.close());
  EXPECT_EQ(asked.verdict()->message, "first");
  MonitoredSession failed = session({});
  note(failed.abort(std::make_exception_ptr(std::runtime_error("broken"))));
  EXPECT_THAT(causes, ElementsAre("already_at_target by StopAtStepHook", "deadline by TimeLimitHook",
                                  "end_of_input by engine", "failure by ", "requested by caller",
                                  "target_reached by StopAtStepHook"));
}

// report LC-04
TEST_F(LifecycleReportsTest, AThreadOfAHookIsJoinedAfterAFailedRun) {
  std::atomic<bool> ended = false;
  auto starts = hook("starts");
  starts->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) {
    a.coordinator->start_thread("a hook's", [&ended, coordinator = a.coordinator] {
      coordinator->wait_for_stop();
      ended = true;
    });
  });
  fail_calls({2}, Code::kInternal);
  EXPECT_EQ(thrown_by([&] { train({starts}); }), "scripted");
  EXPECT_TRUE(ended);
  EXPECT_EQ(starts->calls(Callback::kEnd), 0U);
  EXPECT_EQ(starts->calls(Callback::kFinished), 1U);
}

// report LC-06
TEST_F(LifecycleReportsTest, EachRecoveryInitialisesLocallyAndTellsTheHooks) {
  int local_inits = 0;
  const Operation local = graph_.operation("local", {}, [&](native::StepOutputs&) {
    ++local_inits;
    trace_->add("local_init");
  });
  auto scaffold = std::make_shared<Scaffold>(Scaffold::Options{.local_init_op = local});
  MonitoredSession::Options wanted = options({hook("h")});
  wanted.session_creator =
      std::make_shared<ChiefSessionCreator>(graph_, ChiefSessionCreator::Options{.scaffold = scaffold});
  fail_calls({1, 2}, Code::kAborted);
  MonitoredSession loop(graph_, wanted);
  loop.run(args_);
  EXPECT_EQ(local_inits, 3);
  EXPECT_THAT(trace_->take(),
              ElementsAre("h.begin", "local_init", "h.after_create_session", "h.before_run step=0",
                          "local_init", "h.after_create_session", "h.before_run step=0", "local_init",
                          "h.after_create_session", "h.before_run step=0", "h.after_run step=1"));
}

// report LC-07
TEST_F(LifecycleReportsTest, AVariableThatWasNotRestoredIsNamed) {
  const std::string dir = folder_ / "part";
  auto part = std::make_shared<Saver>(graph_.add_saver({{"global_step", "global_step"}}));
  const auto creator = [&] {
    return std::make_shared<ChiefSessionCreator>(
        graph_,
        ChiefSessionCreator::Options{.scaffold = std::make_shared<Scaffold>(Scaffold::Options{.saver = part}),
                                     .checkpoint_dir = dir});
  };
  const auto run = [&](Step last) {
    MonitoredSession::Options wanted = options({until(last)});
    wanted.session_creator = creator();
    wanted.hooks.push_back(
        make_hook<CheckpointSaverHook>({.checkpoint_dir = dir, .save_steps = 100, .saver = part}));
    MonitoredSession loop(graph_, wanted);
    return train(loop);
  };
  run(2);
  EXPECT_THAT(thrown_by([&] { run(4); }), HasSubstr("w"));
  // A warm start initialises what the checkpoint lacks.
  MonitoredSession::Options wanted = options({until(4)});
  wanted.session_creator = std::make_shared<ChiefSessionCreator>(
      graph_, ChiefSessionCreator::Options{.warm_start_from = dir + "/model.ckpt-2"});
  w_ = 7;
  MonitoredSession loop(graph_, wanted);
  EXPECT_EQ(step_, 2);
  EXPECT_EQ(w_, 0);
}

// report LC-08
TEST_F(LifecycleReportsTest, RunsWithoutHooksCallNoneMoveNoStepAndAreRecovered) {
  auto watch = hook("watch");
  const SessionRunArgs aux({look_});
  MonitoredSession loop = session({watch});
  loop.run(args_);
  for (int i = 0; i < 5; ++i) {
    loop.run_without_hooks(aux);
  }
  EXPECT_EQ(watch->calls(Callback::kBeforeRun), 1U);
  EXPECT_EQ(loop.step(), 1);
  fail_calls({2}, Code::kUnavailable);
  loop.run_without_hooks(args_);
  EXPECT_EQ(watch->calls(Callback::kAfterCreateSession), 2U);
  EXPECT_EQ(calls_, 3);
}

// report LC-09
TEST_F(LifecycleReportsTest, AResetRunNeedsNoLossAndHooksSeeWhatWasAskedFor) {
  fault_ = [](int) { throw StopIteration(); };
  const SessionRunArgs reset({look_});
  const SessionRunArgs* seen = nullptr;
  auto watch = hook("watch");
  watch->at(Callback::kBeforeRun, [&](const CallbackArguments& a) { seen = &a.context->original_args(); });
  MonitoredSession loop = session({watch, make_hook<NanTensorHook>({.loss_tensors = {"train:0"}})});
  EXPECT_THROW(loop.run(args_), StopIteration);
  EXPECT_EQ(seen, &args_);
  loop.run_without_hooks(reset);
  EXPECT_EQ(looks_, 1);
}

// report LC-11
TEST_F(LifecycleReportsTest, HooksServeOneSessionAfterAnother) {
  testkit::LogCapture log;
  auto three = make_hook<StopAtStepHook>({.num_steps = 3});
  auto logs = make_hook<LoggingTensorHook>({.tensors = {{"w", "w:0"}}, .every_n_iter = 2});
  auto saves = saver(2, folder_ / "run");
  for (int session = 1; session <= 2; ++session) {
    calls_ = 0;
    start_at(0);
    EXPECT_EQ(train({three, logs, saves}).step, 3);
    EXPECT_EQ(calls_, 3);
    EXPECT_THAT(log.take(), Contains(HasSubstr("w = ")).Times(2));
  }
  EXPECT_THAT(steps_of(saves->saved()), ElementsAre(0, 2, 3, 0, 2, 3));
}

// report LC-12
TEST_F(LifecycleReportsTest, AHookLearnsOfAFailureByTheVerdictAndCannotHideIt) {
  auto learns = hook("learns");
  std::string learned;
  learns->at(Callback::kFinished, [&](const CallbackArguments& a) {
    learned = describe(a.verdict->error);
    throw std::runtime_error("failed too");
  });
  fail_calls({3}, Code::kInvalidArgument);
  MonitoredSession loop = session({learns});
  EXPECT_EQ(thrown_by([&] { train(loop); }), "scripted");
  EXPECT_EQ(learned, "scripted");
  EXPECT_THAT(loop.verdict()->later_errors, ElementsAre("learns: failed too"));
}

// report LC-17
TEST_F(LifecycleReportsTest, OneTensorByNameAndByHandleIsOneTensor) {
  const Output x = graph_.placeholder<float>("x");
  SessionRunArgs caller({train_});
  static_cast<void>(caller.feed(x, Tensor::scalar(1.0F)));
  auto feeds = make_hook<FeedFnHook>({.feed_fn = [] {
    return std::vector<std::pair<std::string, Tensor>>{{"x:0", Tensor::scalar(2.0F)}};
  }});
  MonitoredSession loop = session({feeds});
  const std::string said = thrown_by([&] { loop.run(caller); });
  EXPECT_THAT(said, HasSubstr("x:0"));
  EXPECT_THAT(said, HasSubstr("FeedFnHook"));
  EXPECT_EQ(calls_, 0);
}

// report TH-04
TEST_F(LifecycleReportsTest, ARunWithinARunIsAMisuse) {
  MonitoredSession loop = session({});
  std::string other_thread;
  std::string closing;
  fault_ = [&](int call) {
    if (call > 1) {
      return;
    }
    std::thread([&] { other_thread = thrown_by([&] { loop.run(args_); }); }).join();
    closing = thrown_by([&] { loop.close(); });
  };
  loop.run(args_);
  EXPECT_THAT(other_thread, HasSubstr("while a run of it is under way"));
  EXPECT_THAT(closing, HasSubstr("while a run of it is under way"));
  EXPECT_EQ(calls_, 1);
  loop.run(args_);
  // Runs of the raw session may overlap: each has results of its own.
  SessionRunArgs look({look_});
  std::vector<std::thread> threads;
  const ResolvedArgs resolved = resolve(graph_, look);
  const auto plan = loop.raw_session()->prepare(resolved.request);
  std::atomic<int> done = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto outputs = plan->make_outputs();
      plan->run({}, nullptr, *outputs, nullptr);
      ++done;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(done, 8);
}

// report TH-03
TEST_F(LifecycleReportsTest, AStopWakesWhoHasRegisteredForIt) {
  Coordinator coordinator;
  std::mutex mutex;
  std::condition_variable woken;
  bool wake = false;
  coordinator.start_thread("waits", [&] {
    const std::stop_callback waker(coordinator.stop_token(), [&] {
      const std::lock_guard lock(mutex);
      wake = true;
      woken.notify_all();
    });
    std::unique_lock lock(mutex);
    woken.wait(lock, [&] { return wake; });
  });
  coordinator.request_stop();
  coordinator.join(std::chrono::minutes(1));
  EXPECT_TRUE(wake);
}

// report CU-18
TEST_F(LifecycleReportsTest, AScopeThatIsLeftAndAnAssignmentCloseTheSession) {
  int closed = 0;
  graph_.on_close([&](Session&) { ++closed; });
  EXPECT_THROW(
      {
        MonitoredSession loop = session({});
        throw std::runtime_error("left");
      },
      std::runtime_error);
  EXPECT_EQ(closed, 1);
  native::Graph other;
  const Operation step = other.step("step", {}, [](native::StepOutputs&) {});
  MonitoredSession loop = session({});
  loop = MonitoredSession(other);
  EXPECT_EQ(closed, 2);
  loop.run(SessionRunArgs({step}));
}

// report CU-20
TEST(StepTypeReportsTest, AStepOf32BitsServesAllHooks) {
  const TempFolder folder;
  native::Graph graph({.global_step = false});
  std::int32_t count = 0;
  graph.variable("global_step", native::view(count));
  const SessionRunArgs args({graph.step("train", {}, [&](native::StepOutputs&) { ++count; })});
  for (const Step last : {4, 6}) {
    MonitoredSession loop =
        monitored_training_session(graph, {.checkpoint_dir = folder / "run",
                                           .hooks = {make_hook<StopAtStepHook>({.last_step = last})},
                                           .save_checkpoint_steps = 2,
                                           .log_step_count_steps = 2});
    EXPECT_EQ(loop.run_until_stopped([&] { loop.run(args); }).step, last);
  }
  EXPECT_EQ(CheckpointReader(folder / "run/model.ckpt-6").get_tensor("global_step").view().dtype(),
            DType::kInt32);
}

// report CU-07
TEST_F(LifecycleReportsTest, AThousandRecoveriesLeaveNoFileAndNoThread) {
  const auto count = [](const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  };
  fault_ = [](int call) {
    if (call % 2 == 1) {
      throw Error(Code::kUnavailable, "scripted", ErrorSource::kEngine);
    }
  };
  testkit::LogCapture log;
  MonitoredSession::Options wanted = options({saver(1000, folder_ / "run")}, folder_ / "run");
  wanted.recovery.max_attempts = 2000;
  MonitoredSession loop(graph_, wanted);
  loop.run(args_);
  const auto files = count("/proc/self/fd");
  const auto threads = count("/proc/self/task");
  for (int i = 0; i < 1000; ++i) {
    loop.run(args_);
  }
  EXPECT_EQ(count("/proc/self/fd"), files);
  EXPECT_EQ(count("/proc/self/task"), threads);
}

}  // namespace
}  // namespace fermata::reports
