// Step functions: what a MonitoredSession does around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/loop_fixture.h"

namespace fermata {
namespace {

using testing::ElementsAre;

[[noreturn]] void fail(Code code) { throw Error(code, code_name(code), ErrorSource::kEngine); }

class StepFnTest : public LoopTest {
 protected:
  StepFnTest() : session_(session({hook("h1")})) { static_cast<void>(lines()); }

  MonitoredSession session_;
};

TEST_F(StepFnTest, ReturnsWhatTheFunctionReturns) {
  EXPECT_EQ(session_.run_step_fn([](StepContext&) { return std::string("five"); }), "five");
  EXPECT_EQ(session_.run_step_fn(
                [this](StepContext& context) { return context.run_with_hooks(args_).scalar<float>(1); }),
            1.0F);
}

TEST_F(StepFnTest, HooksSeeRunsWithHooksOnly) {
  session_.run_step_fn([](StepContext&) {});
  EXPECT_THAT(lines(), ElementsAre());
  session_.run_step_fn([this](StepContext& context) {
    static_cast<void>(context.session().run(train_));
    context.run_with_hooks(args_);
    context.run_with_hooks(args_);
  });
  EXPECT_THAT(lines(), ElementsAre("h1.before_run step=0", "h1.after_run step=2", "h1.before_run step=2",
                                   "h1.after_run step=3"));
  EXPECT_EQ(session_.runs(), 2);
}

TEST_F(StepFnTest, RequestStopLeavesTheFunctionAndEndsTheLoopCleanly) {
  int after = 0;
  const StopVerdict verdict = session_.run_until_stopped([&] {
    session_.run_step_fn([&](StepContext& context) {
      context.run_with_hooks(args_);
      context.request_stop("seen enough");
      ++after;
    });
  });
  EXPECT_EQ(after, 0);
  EXPECT_EQ(verdict.reason, StopReason::kRequested);
  EXPECT_EQ(verdict.by, "step function");
  EXPECT_EQ(verdict.message, "seen enough");
  EXPECT_THAT(lines(), ElementsAre("h1.before_run step=0", "h1.after_run step=1", "h1.end",
                                   "h1.finished requested step=1"));
}

// Contract STEP-5.
TEST_F(StepFnTest, AfterRequestStopShouldStopAnswersTrue) {
  EXPECT_THROW(session_.run_step_fn([](StepContext& context) { context.request_stop(); }), StopIteration);
  EXPECT_TRUE(session_.should_stop());
}

// Contract STEP-7.
TEST_F(StepFnTest, APreemptionInOwnCodeMakesANewSessionAndTheFunctionBeginsAnew) {
  std::vector<Session*> seen;
  const int result = session_.run_step_fn([&](StepContext& context) {
    seen.push_back(&context.session());
    EXPECT_FALSE(context.session().closed());
    context.run_with_hooks(args_);
    if (seen.size() == 1) {
      fail(Code::kAborted);
    }
    return 3;
  });
  EXPECT_EQ(result, 3);
  EXPECT_THAT(lines(), ElementsAre("h1.before_run step=0", "h1.after_run step=1", "h1.after_create_session",
                                   "h1.before_run step=0", "h1.after_run step=1"));
  EXPECT_EQ(seen.back(), session_.raw_session());
}

TEST_F(StepFnTest, APreemptionInARunWithHooksDoesTheSame) {
  fault_ = [](int call) {
    if (call == 1) {
      fail(Code::kUnavailable);
    }
  };
  int calls = 0;
  session_.run_step_fn([&](StepContext& context) {
    ++calls;
    context.run_with_hooks(args_);
  });
  EXPECT_EQ(calls, 2);
}

TEST_F(StepFnTest, AnotherErrorIsThrownAndEndIsNotCalled) {
  EXPECT_THROW(session_.run_until_stopped(
                   [&] { session_.run_step_fn([](StepContext&) { throw std::logic_error("mine"); }); }),
               std::logic_error);
  EXPECT_THAT(lines(), ElementsAre("h1.finished failure step=0"));
}

TEST_F(StepFnTest, EndOfInputFromTheFunctionIsACleanEnd) {
  const StopVerdict verdict = session_.run_until_stopped(
      [&] { session_.run_step_fn([](StepContext&) { fail(Code::kOutOfRange); }); });
  EXPECT_EQ(verdict.reason, StopReason::kEndOfInput);
}

TEST_F(StepFnTest, AfterAHooksStopNoFurtherRunWithHooksIsMade) {
  const auto stopping = hook("h2");
  stopping->at(testkit::Callback::kAfterRun,
               [](const testkit::CallbackArguments& arguments) { arguments.context->request_stop(); });
  MonitoredSession other = session({stopping});
  EXPECT_THROW(other.run_step_fn([this](StepContext& context) {
    context.run_with_hooks(args_);
    context.run_with_hooks(args_);
  }),
               Misuse);
  EXPECT_TRUE(other.should_stop());
  EXPECT_EQ(other.runs(), 1);
}

// The thread's preemption explains a run that failed, but not a run of the function's own.
TEST_F(StepFnTest, AThreadsPreemptionReplacesErrorsOfRunsWithHooksOnly) {
  const auto reporting = hook("h2");
  reporting->at(testkit::Callback::kAfterCreateSession, 1, [](const testkit::CallbackArguments& arguments) {
    arguments.coordinator->request_stop(
        std::make_exception_ptr(Error(Code::kAborted, "away", ErrorSource::kEngine)));
  });
  fault_ = [](int call) {
    if (call <= 2) {
      fail(Code::kInternal);
    }
  };
  MonitoredSession other = session({reporting});
  EXPECT_EQ(
      thrown_by([&] {
        other.run_step_fn([this](StepContext& context) { static_cast<void>(context.session().run(train_)); });
      }),
      "INTERNAL");
  int calls = 0;
  other.run_step_fn([&](StepContext& context) {
    ++calls;
    context.run_with_hooks(args_);
  });
  EXPECT_EQ(calls, 2);
}

TEST_F(StepFnTest, AfterCloseItIsAMisuse) {
  session_.close();
  EXPECT_THROW(session_.run_step_fn([](StepContext&) {}), Misuse);
}

}  // namespace
}  // namespace fermata
