#include "fermata/singular_monitored_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/loop_fixture.h"

namespace fermata {
namespace {

using testing::ElementsAre;

std::exception_ptr error_of(Code code) {
  return std::make_exception_ptr(Error(code, code_name(code), ErrorSource::kEngine));
}

class SingularMonitoredSessionTest : public LoopTest {
 protected:
  SingularMonitoredSession singular() { return SingularMonitoredSession(graph_, {.hooks = {hook("h1")}}); }

  // Throws in the given run.
  void fail_in_run(int run, Code code) {
    fault_ = [run, code](int call) {
      if (call == run) {
        std::rethrow_exception(error_of(code));
      }
    };
  }
};

TEST_F(SingularMonitoredSessionTest, RunsAsAMonitoredSessionDoes) {
  SingularMonitoredSession session = singular();
  session.run(args_);
  EXPECT_NE(session.raw_session(), nullptr);
  EXPECT_EQ(session.close().step, 1);
  EXPECT_EQ(session.raw_session(), nullptr);
  EXPECT_THAT(lines(), ElementsAre("h1.begin", "h1.after_create_session", "h1.before_run step=0",
                                   "h1.after_run step=1", "h1.end", "h1.finished requested step=1"));
}

TEST_F(SingularMonitoredSessionTest, APreemptionInARunIsThrownAndEndIsNotCalled) {
  fail_in_run(2, Code::kAborted);
  SingularMonitoredSession session = singular();
  EXPECT_EQ(thrown_by([&] { session.run_until_stopped([&] { session.run(args_); }); }), "ABORTED");
  EXPECT_THAT(lines(),
              ElementsAre("h1.begin", "h1.after_create_session", "h1.before_run step=0",
                          "h1.after_run step=1", "h1.before_run step=1", "h1.finished failure step=1"));
}

TEST_F(SingularMonitoredSessionTest, APreemptionInCreationIsThrown) {
  const auto failing = hook("h2");
  failing->at(testkit::Callback::kAfterCreateSession,
              [](const auto&) { std::rethrow_exception(error_of(Code::kUnavailable)); });
  EXPECT_EQ(thrown_by([&] { SingularMonitoredSession(graph_, {.hooks = {failing}}); }), "UNAVAILABLE");
}

TEST_F(SingularMonitoredSessionTest, APreemptionInAStepFunctionIsThrown) {
  SingularMonitoredSession session = singular();
  int calls = 0;
  EXPECT_EQ(thrown_by([&] {
              session.run_step_fn([&](StepContext& context) {
                ++calls;
                context.run_with_hooks(args_);
                std::rethrow_exception(error_of(Code::kAborted));
              });
            }),
            "ABORTED");
  EXPECT_EQ(calls, 1);
}

// Contract CLOSE-12.
TEST_F(SingularMonitoredSessionTest, AnErrorThatTheBlockCatchesLeavesNoMark) {
  fail_in_run(1, Code::kInternal);
  SingularMonitoredSession session = singular();
  const StopVerdict verdict = session.run_until_stopped([&] {
    EXPECT_EQ(thrown_by([&] { session.run(args_); }), "INTERNAL");
    session.request_stop();
  });
  EXPECT_FALSE(verdict.failed());
  EXPECT_THAT(lines(), ElementsAre("h1.begin", "h1.after_create_session", "h1.before_run step=0", "h1.end",
                                   "h1.finished requested step=0"));
}

class ThreadErrorTest : public SingularMonitoredSessionTest, public testing::WithParamInterface<Code> {};

TEST_P(ThreadErrorTest, ShouldStopAndCloseThrowIt) {
  const auto reporting = hook("h2");
  reporting->at(testkit::Callback::kAfterCreateSession, [](const testkit::CallbackArguments& arguments) {
    arguments.coordinator->request_stop(error_of(GetParam()));
  });
  SingularMonitoredSession session(graph_, {.hooks = {reporting}});
  EXPECT_EQ(thrown_by([&] { static_cast<void>(session.should_stop()); }), code_name(GetParam()));
  EXPECT_EQ(thrown_by([&] { session.close(); }), code_name(GetParam()));
  EXPECT_TRUE(session.verdict()->failed());
}

INSTANTIATE_TEST_SUITE_P(Codes, ThreadErrorTest,
                         testing::Values(Code::kAborted, Code::kInternal, Code::kOutOfRange));

}  // namespace
}  // namespace fermata
