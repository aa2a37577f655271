#include "fermata/monitored_session.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "fermata/hooks/stop_at_step_hook.h"
#include "session/loop_fixture.h"

namespace fermata {
namespace {

using testkit::Callback;
using testkit::CallbackArguments;
using Lines = std::vector<std::string>;

class MonitoredSessionTest : public LoopTest {};

TEST_F(MonitoredSessionTest, TwoCleanRunsCallEveryHookInOrder) {
  MonitoredSession loop = session({hook("h1"), hook("h2")});
  EXPECT_EQ(lines(), (Lines{"h1.begin", "h2.begin", "h1.after_create_session", "h2.after_create_session"}));
  EXPECT_EQ(loop.run(args_).scalar<float>(1), 1.0F);
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0", "h1.after_run step=1",
                            "h2.after_run step=1"}));
  loop.run(args_);
  static_cast<void>(lines());
  const StopVerdict verdict = loop.close();
  EXPECT_EQ(lines(),
            (Lines{"h1.end", "h2.end", "h1.finished requested step=2", "h2.finished requested step=2"}));
  EXPECT_EQ(verdict.step, 2);
  EXPECT_EQ(verdict.by, "close");
}

TEST_F(MonitoredSessionTest, AStopOfAHookEndsTheLoopAfterTheRun) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterRun, 1, [](const CallbackArguments& a) { a.context->request_stop("enough"); });
  MonitoredSession loop = session({h1, hook("h2")});
  loop.run(args_);
  EXPECT_EQ(lines().back(), "h2.after_run step=1");
  EXPECT_TRUE(loop.should_stop());
  EXPECT_NE(thrown_by([&] { loop.run(args_); }).find("after should_stop requested"), std::string::npos);
  EXPECT_EQ(lines(), Lines{});
  const StopVerdict verdict = loop.close();
  EXPECT_EQ(verdict.to_string(), "stop requested at step 1 (h1): enough");
}

TEST_F(MonitoredSessionTest, AStopRequestedBeforeTheRunLetsTheRunHappen) {
  auto h1 = hook("h1");
  h1->at(Callback::kBeforeRun, 1, [](const CallbackArguments& a) { a.context->request_stop(); });
  MonitoredSession loop = session({h1});
  loop.run(args_);
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(loop.should_stop());
}

TEST_F(MonitoredSessionTest, AStopRequestedInARunThatFailsDoesNotCount) {
  auto h1 = hook("h1");
  h1->at(Callback::kBeforeRun, 1, [](const CallbackArguments& a) { a.context->request_stop(); });
  fault_ = [](int call) {
    if (call == 1) {
      throw Error(Code::kUnknown, "broken");
    }
  };
  MonitoredSession loop = session({h1});
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "broken");
  EXPECT_FALSE(loop.should_stop());
}

TEST_F(MonitoredSessionTest, EndOfInputIsACleanEnd) {
  fault_ = [](int call) {
    if (call == 3) {
      throw Error(Code::kOutOfRange, "no more rows", ErrorSource::kEngine);
    }
  };
  MonitoredSession loop = session({hook("h1")});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.reason, StopReason::kEndOfInput);
  EXPECT_EQ(verdict.step, 2);
  EXPECT_EQ(verdict.exit_code(), 0);
  const Lines all = lines();
  EXPECT_EQ(Lines(all.end() - 2, all.end()), (Lines{"h1.end", "h1.finished end_of_input step=2"}));
}

TEST_F(MonitoredSessionTest, StopIterationOfTheBodyIsACleanEnd) {
  MonitoredSession loop = session({hook("h1")});
  const StopVerdict verdict = loop.run_until_stopped([] { throw StopIteration("the list is empty"); });
  EXPECT_EQ(verdict.to_string(), "end of input at step 0 (caller): the list is empty");
}

TEST_F(MonitoredSessionTest, EveryHookIsAskedBeforeARunWhoeverWantsItToBeTheLast) {
  auto first = hook("h1");
  first->at(Callback::kBeforeRun,
            [](const CallbackArguments& arguments) { arguments.context->request_stop("enough"); });
  MonitoredSession loop = session({first, hook("h2")});
  static_cast<void>(lines());
  loop.run(args_);
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0", "h1.after_run step=1",
                            "h2.after_run step=1"}));
  EXPECT_TRUE(loop.should_stop());
}

// What a thread failed of while the loop ran is older than what the hooks fail of at their end.
TEST_F(MonitoredSessionTest, AnErrorOfAThreadComesBeforeThoseOfTheEnds) {
  auto starts = hook("h1");
  Coordinator* coordinator = nullptr;
  starts->at(Callback::kAfterCreateSession,
             [&](const CallbackArguments& arguments) { coordinator = arguments.coordinator; });
  starts->at(Callback::kEnd, [](const CallbackArguments&) { throw Error(Code::kInternal, "at the end"); });
  MonitoredSession loop = session({starts});
  loop.run(args_);
  coordinator->request_stop(std::make_exception_ptr(Error(Code::kInternal, "of a thread")));
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "of a thread");
  EXPECT_EQ(loop.verdict()->later_errors.size(), 1U);
}

// A thread that fails because the loop ends is not the cause of it.
TEST_F(MonitoredSessionTest, AnErrorOfTheLoopComesBeforeThoseOfThreadsThatItEnds) {
  auto starts = hook("h1");
  starts->at(Callback::kAfterCreateSession, [](const CallbackArguments& arguments) {
    Coordinator& coordinator = *arguments.coordinator;
    coordinator.start_thread("follows", [&coordinator] {
      coordinator.wait_for_stop();
      throw Error(Code::kInternal, "of the thread that follows");
    });
  });
  MonitoredSession loop = session({starts});
  fault_ = [](int) { throw Error(Code::kInternal, "of the loop"); };
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(args_); }); }), "of the loop");
  EXPECT_EQ(describe(loop.verdict()->error), "of the loop");
}

TEST_F(MonitoredSessionTest, AFailureTellsEveryHookAndCallsNoEnd) {
  fault_ = [](int) { throw Error(Code::kInternal, "broken"); };
  MonitoredSession loop = session({hook("h1"), hook("h2")});
  static_cast<void>(lines());
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(args_); }); }), "broken");
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0", "h1.finished failure step=0",
                            "h2.finished failure step=0"}));
  EXPECT_EQ(describe(loop.verdict()->error), "broken");
}

// Contract RUN-16.
TEST_F(MonitoredSessionTest, AUsersOwnExceptionPassesUntouched) {
  struct Mine {
    int value;
  };
  MonitoredSession loop = session({});
  try {
    loop.run_until_stopped([] { throw Mine{7}; });
    FAIL();
  } catch (const Mine& mine) {
    EXPECT_EQ(mine.value, 7);
  }
}

// Contract MON-4, TRACE-18.
TEST_F(MonitoredSessionTest, AnErrorInBeginIsThrownAndToldToThoseThatBegan) {
  auto h2 = hook("h2");
  h2->at(Callback::kBegin, [](const CallbackArguments&) { throw Error(Code::kInternal, "begin failed"); });
  EXPECT_EQ(thrown_by([&] { session({hook("h1"), h2, hook("h3")}); }), "begin failed");
  EXPECT_EQ(lines(), (Lines{"h1.begin", "h2.begin", "h1.finished failure"}));
}

TEST_F(MonitoredSessionTest, AnErrorInAfterCreateSessionClosesWhatWasMade) {
  auto h1 = hook("h1");
  Session* made = nullptr;
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) {
    made = a.session;
    throw Error(Code::kInternal, "creation failed");
  });
  EXPECT_EQ(thrown_by([&] { session({h1}); }), "creation failed");
  EXPECT_NE(made, nullptr);
  EXPECT_EQ(lines(), (Lines{"h1.begin", "h1.after_create_session", "h1.finished failure"}));
  EXPECT_FALSE(graph_.finalized());
}

// Contract CLOSE-5, ERR-17.
TEST_F(MonitoredSessionTest, OneHooksFailingEndDoesNotRobTheOthers) {
  auto h1 = hook("h1");
  h1->at(Callback::kEnd, [](const CallbackArguments&) { throw Error(Code::kInternal, "first"); });
  auto h2 = hook("h2");
  h2->at(Callback::kEnd, [](const CallbackArguments&) { throw Error(Code::kInternal, "second"); });
  MonitoredSession loop = session({h1, h2, hook("h3")});
  static_cast<void>(lines());
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "first");
  EXPECT_EQ(lines(), (Lines{"h1.end", "h2.end", "h3.end", "h1.finished failure step=0",
                            "h2.finished failure step=0", "h3.finished failure step=0"}));
  EXPECT_EQ(loop.verdict()->later_errors, Lines{"second"});
}

// report LC-16
TEST_F(MonitoredSessionTest, AFailingFinishedIsAttachedAndTheOthersAreTold) {
  auto h1 = hook("h1");
  h1->at(Callback::kFinished, [](const CallbackArguments&) { throw Error(Code::kInternal, "too late"); });
  MonitoredSession loop = session({h1, hook("h2")});
  loop.close();
  EXPECT_EQ(lines().back(), "h2.finished requested step=0");
  EXPECT_EQ(loop.verdict()->later_errors, Lines{"h1: too late"});
}

// Contract CLOSE-4.
TEST_F(MonitoredSessionTest, ASecondCloseGivesTheSameVerdict) {
  MonitoredSession loop = session({hook("h1")});
  const StopVerdict first = loop.close();
  static_cast<void>(lines());
  EXPECT_EQ(loop.close().to_string(), first.to_string());
  EXPECT_EQ(lines(), Lines{});
}

// Contract CLOSE-6.
TEST_F(MonitoredSessionTest, AfterCloseRunIsMisuse) {
  MonitoredSession loop = session({});
  loop.close();
  EXPECT_NE(thrown_by([&] { loop.run(args_); }).find("closed"), std::string::npos);
  EXPECT_TRUE(loop.should_stop());
  EXPECT_EQ(loop.graph(), nullptr);
  EXPECT_EQ(loop.raw_session(), nullptr);
}

// report CU-19
// report LC-13
TEST_F(MonitoredSessionTest, TheGraphIsClosedForAdditionsWhileTheSessionLives) {
  MonitoredSession loop = session({});
  EXPECT_TRUE(graph_.finalized());
  EXPECT_THROW(graph_.constant("late", 1.0F), Misuse);
  loop.close();
  EXPECT_FALSE(graph_.finalized());
}

TEST_F(MonitoredSessionTest, ASessionThatIsDestroyedOpenClosesItself) {
  { MonitoredSession loop = session({hook("h1")}); }
  const Lines all = lines();
  EXPECT_EQ(Lines(all.end() - 2, all.end()), (Lines{"h1.end", "h1.finished requested step=0"}));
}

TEST_F(MonitoredSessionTest, ASessionThatIsUnwoundTakesTheFailureEnd) {
  try {
    MonitoredSession loop = session({hook("h1")});
    throw Error(Code::kUnknown, "passing");
  } catch (const Error&) {
    EXPECT_EQ(lines().back(), "h1.finished failure step=0");
  }
}

TEST_F(MonitoredSessionTest, AbortCallsNoEndAndDoesNotThrow) {
  MonitoredSession loop = session({hook("h1")});
  const StopVerdict verdict = loop.abort(std::make_exception_ptr(Error(Code::kUnknown, "given up")));
  EXPECT_EQ(verdict.to_string(), "failed at step 0: given up");
  EXPECT_EQ(lines().back(), "h1.finished failure step=0");
}

TEST_F(MonitoredSessionTest, AStopFromAnotherThreadEndsTheLoop) {
  MonitoredSession loop = session({});
  std::thread other([&] { loop.request_stop("the operator"); });
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  other.join();
  EXPECT_EQ(verdict.by, "caller");
  EXPECT_EQ(verdict.message, "the operator");
}

TEST_F(MonitoredSessionTest, ASignalEndsTheLoopWithItsExitCode) {
  MonitoredSession loop(graph_, {.stop_on_signals = true});
  fault_ = [](int call) {
    if (call == 2) {
      std::raise(SIGTERM);
    }
  };
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.reason, StopReason::kSignal);
  EXPECT_EQ(verdict.step, 2);
  EXPECT_EQ(verdict.exit_code(), 143);
}

TEST_F(MonitoredSessionTest, AnErrorOfAThreadComesOutOfClose) {
  auto h1 = hook("h1");
  Coordinator* coordinator = nullptr;
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) { coordinator = a.coordinator; });
  MonitoredSession loop = session({h1});
  coordinator->request_stop(std::make_exception_ptr(Error(Code::kUnknown, "thread")));
  EXPECT_TRUE(loop.should_stop());
  loop.run(args_);
  static_cast<void>(lines());
  EXPECT_EQ(thrown_by([&] { loop.close(); }), "thread");
  EXPECT_EQ(lines(), (Lines{"h1.end", "h1.finished failure step=1"}));
}

TEST_F(MonitoredSessionTest, AThreadsErrorThatIsOlderThanTheRunsComesOut) {
  Coordinator* coordinator = nullptr;
  auto watch = hook("h");
  watch->at(testkit::Callback::kAfterCreateSession,
            [&](const testkit::CallbackArguments& a) { coordinator = a.coordinator; });
  MonitoredSession loop = session({watch});
  const std::string thrown = thrown_by([&] {
    loop.run_until_stopped([&] {
      coordinator->request_stop(std::make_exception_ptr(Error(Code::kUnknown, "thread")));
      throw Error(Code::kInternal, "run", ErrorSource::kEngine);
    });
  });
  EXPECT_EQ(thrown, "thread");
  EXPECT_EQ(loop.verdict()->later_errors, std::vector<std::string>{"run"});
}

TEST_F(MonitoredSessionTest, AThreadThatStopsWithoutErrorIsACleanEnd) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) {
    a.coordinator->start_thread("worker", [coordinator = a.coordinator] { coordinator->request_stop(); });
  });
  MonitoredSession loop = session({h1});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.by, "coordinator");
  EXPECT_FALSE(verdict.failed());
}

TEST_F(MonitoredSessionTest, SecondHooksOfAKindHaveNamesOfTheirOwn) {
  auto stop = [](Step step) { return make_hook<StopAtStepHook>({.last_step = step}); };
  MonitoredSession loop = session({stop(5), stop(2)});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.by, "StopAtStepHook#2");
}

TEST_F(MonitoredSessionTest, HooksGetTheirOwnResults) {
  native::Graph graph;
  graph.constant("c", 1.5F);
  const Operation train = graph.step("train", {}, [](native::StepOutputs&) {});
  auto h1 = std::make_shared<testkit::RecordingHook>(
      testkit::RecordingHook::Options{.name = "h1", .trace = trace_, .request = SessionRunArgs({"c:0"})});
  MonitoredSession loop(graph, {.hooks = {h1}});
  EXPECT_EQ(loop.run(SessionRunArgs({train})).size(), 1U);
  EXPECT_EQ(lines().back(), "h1.after_run step=1 results=[1.5]");
}

// Contract RUN-5, RUN-7.
TEST_F(MonitoredSessionTest, TwoHooksThatFeedOneTensorAreNamedBeforeAnythingRuns) {
  const Output x = graph_.placeholder<float>("x");
  SessionRunArgs by_handle;
  by_handle.feed(x, Tensor::scalar(1.0F));
  SessionRunArgs by_name;
  by_name.feed("x:0", Tensor::scalar(2.0F));
  const auto feeding = [&](const std::string& name, const SessionRunArgs& request) {
    return std::make_shared<testkit::RecordingHook>(
        testkit::RecordingHook::Options{.name = name, .trace = trace_, .request = request});
  };
  MonitoredSession loop(graph_, {.hooks = {feeding("h1", by_handle), feeding("h2", by_name), hook("h3")}});
  static_cast<void>(lines());
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }),
            "Same tensor is fed by h1 and by h2: 'x:0'; let one of them feed it");
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0"}));
  EXPECT_EQ(calls_, 0);
}

TEST_F(MonitoredSessionTest, AHookAndTheCallerThatFeedOneTensorAreNamed) {
  const Output x = graph_.placeholder<float>("x");
  SessionRunArgs request;
  request.feed(x, Tensor::scalar(1.0F));
  auto h1 = std::make_shared<testkit::RecordingHook>(
      testkit::RecordingHook::Options{.name = "h1", .trace = trace_, .request = request});
  MonitoredSession loop(graph_, {.hooks = {h1}});
  args_.feed(x, Tensor::scalar(2.0F));
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }),
            "Same tensor is fed by the caller and by h1: 'x:0'; let one of them feed it");
}

TEST_F(MonitoredSessionTest, ARunWithoutHooksCallsNone) {
  MonitoredSession loop = session({hook("h1")});
  static_cast<void>(lines());
  EXPECT_EQ(loop.run_without_hooks(SessionRunArgs({"w:0"})).scalar<float>(0), 0.0F);
  EXPECT_EQ(lines(), Lines{});
  EXPECT_EQ(loop.runs(), 0);
}

TEST_F(MonitoredSessionTest, ANullHookIsRefused) {
  EXPECT_EQ(thrown_by([&] { session({nullptr}); }), "hook 0 of the session is null");
}

// Contract HOOK-1.
TEST_F(MonitoredSessionTest, AHookThatOverridesNothingChangesNothing) {
  MonitoredSession loop =
      session({std::make_shared<SessionRunHook>(), make_hook<StopAtStepHook>({.last_step = 2})});
  const StopVerdict verdict = loop.run_until_stopped([&] { loop.run(args_); });
  EXPECT_EQ(verdict.by, "StopAtStepHook");
  EXPECT_EQ(calls_, 2);
}

// Asks for one thing and then for another, as an object that stands twice in the list may.
class Alternating : public SessionRunHook {
 public:
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& /*context*/) override {
    return asked_++ % 2 == 0 ? &first_ : &second_;
  }
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    seen.push_back(values.results().scalar<float>(0));
  }
  std::vector<float> seen;

 private:
  int asked_ = 0;
  SessionRunArgs first_{"c:0"};
  SessionRunArgs second_{"d:0"};
};

// Contract HOOK-12.
TEST_F(MonitoredSessionTest, AHookThatIsListedTwiceHasAPlaceForEachOfItsRequests) {
  graph_.constant("c", 1.5F);
  graph_.constant("d", 2.5F);
  const auto twice = std::make_shared<Alternating>();
  MonitoredSession loop = session({twice, twice});
  loop.run(args_);
  EXPECT_EQ(twice->seen, (std::vector<float>{1.5F, 2.5F}));
}

// Contract MON-9, MON-10.
TEST_F(MonitoredSessionTest, GraphAndRawSessionCanBeAskedForUntilClose) {
  MonitoredSession loop = session({hook("h1")});
  EXPECT_EQ(loop.graph(), &graph_);
  static_cast<void>(lines());
  static_cast<void>(loop.raw_session()->run(train_));
  EXPECT_EQ(lines(), Lines{}) << "no hook is told of a raw run";
  loop.close();
  EXPECT_EQ(loop.graph(), nullptr);
  EXPECT_EQ(loop.raw_session(), nullptr);
}

// Contract RUN-17.
TEST_F(MonitoredSessionTest, FetchesMayBeNames) {
  auto h1 = hook("h1");
  std::string seen;
  h1->at(testkit::Callback::kBeforeRun, [&](const testkit::CallbackArguments& arguments) {
    seen = arguments.context->original_args().fetches().front().name();
  });
  MonitoredSession loop = session({h1});
  const ResultsView results = loop.run(SessionRunArgs({"train:0", "train"}));
  EXPECT_EQ(results.scalar<float>(0), 1.0F);
  EXPECT_FALSE(results[1].has_value());
  EXPECT_EQ(seen, "train:0");
}

}  // namespace
}  // namespace fermata
