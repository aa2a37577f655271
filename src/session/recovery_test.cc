#include <gtest/gtest.h>

#include "session/loop_fixture.h"

namespace fermata {
namespace {

using testkit::Callback;
using testkit::CallbackArguments;
using Lines = std::vector<std::string>;

class RecoveryTest : public LoopTest {
 protected:
  static std::function<void(int)> lost_in_call(int lost) {
    return [lost](int call) {
      if (call == lost) {
        throw Error(Code::kAborted, "the server went away", ErrorSource::kEngine);
      }
    };
  }
};

TEST_F(RecoveryTest, APreemptedRunIsMadeAgainOnANewSession) {
  fault_ = lost_in_call(1);
  MonitoredSession loop = session({hook("h1"), hook("h2")});
  static_cast<void>(lines());
  loop.run(args_);
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0", "h1.after_create_session",
                            "h2.after_create_session", "h1.before_run step=0", "h2.before_run step=0",
                            "h1.after_run step=1", "h2.after_run step=1"}));
  EXPECT_EQ(loop.runs(), 1);
}

// Contract MON-3.
TEST_F(RecoveryTest, APreemptionInAHookIsRecovered) {
  auto h2 = hook("h2");
  h2->at(Callback::kBeforeRun, 1,
         [](const CallbackArguments&) { throw Error(Code::kUnavailable, "away", ErrorSource::kEngine); });
  MonitoredSession loop = session({hook("h1"), h2});
  static_cast<void>(lines());
  loop.run(args_);
  EXPECT_EQ(lines(), (Lines{"h1.before_run step=0", "h2.before_run step=0", "h1.after_create_session",
                            "h2.after_create_session", "h1.before_run step=0", "h2.before_run step=0",
                            "h1.after_run step=1", "h2.after_run step=1"}));
}

TEST_F(RecoveryTest, APreemptionWhileTheSessionIsMadeIsRecovered) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterCreateSession, 1,
         [](const CallbackArguments&) { throw Error(Code::kAborted, "early"); });
  MonitoredSession loop = session({h1});
  EXPECT_EQ(lines(), (Lines{"h1.begin", "h1.after_create_session", "h1.after_create_session"}));
}

// Contract MON-7, REC-6.
TEST_F(RecoveryTest, AttemptsAreBoundedAndTheLastErrorComesOut) {
  fault_ = [](int) { throw Error(Code::kAborted, "always away", ErrorSource::kEngine); };
  MonitoredSession loop = session({hook("h1")});
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(args_); }); }), "always away");
  EXPECT_EQ(calls_, 4);
  EXPECT_EQ(lines().back(), "h1.finished failure step=0");
}

TEST_F(RecoveryTest, OtherErrorsAreNotRecovered) {
  fault_ = [](int) { throw Error(Code::kCancelled, "cancelled", ErrorSource::kEngine); };
  MonitoredSession loop = session({});
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "cancelled");
  EXPECT_EQ(calls_, 1);
}

TEST_F(RecoveryTest, APreemptionReportedByAThreadIsRecoveredByShouldStop) {
  auto h1 = hook("h1");
  Coordinator* coordinator = nullptr;
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) { coordinator = a.coordinator; });
  MonitoredSession loop = session({h1});
  coordinator->request_stop(std::make_exception_ptr(Error(Code::kAborted, "thread")));
  static_cast<void>(lines());
  EXPECT_FALSE(loop.should_stop());
  EXPECT_EQ(lines(), Lines{"h1.after_create_session"});
}

// Contract MSTOP-5.
TEST_F(RecoveryTest, AStopOfARunThatSucceededIsKept) {
  auto h1 = hook("h1");
  Coordinator* coordinator = nullptr;
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) { coordinator = a.coordinator; });
  h1->at(Callback::kAfterRun, [](const CallbackArguments& a) { a.context->request_stop("enough"); });
  MonitoredSession loop = session({h1});
  loop.run(args_);
  coordinator->request_stop(std::make_exception_ptr(Error(Code::kAborted, "thread")));
  EXPECT_TRUE(loop.should_stop());
  EXPECT_EQ(loop.close().message, "enough");
}

TEST_F(RecoveryTest, APreemptionOfAThreadWinsOverTheErrorOfTheRun) {
  auto h1 = hook("h1");
  Coordinator* coordinator = nullptr;
  h1->at(Callback::kAfterCreateSession, [&](const CallbackArguments& a) { coordinator = a.coordinator; });
  fault_ = [&](int call) {
    if (call == 1) {
      coordinator->request_stop(std::make_exception_ptr(Error(Code::kUnavailable, "thread")));
      throw Error(Code::kCancelled, "the run was cancelled", ErrorSource::kEngine);
    }
  };
  MonitoredSession loop = session({h1});
  loop.run(args_);
  EXPECT_EQ(calls_, 2);
}

TEST_F(RecoveryTest, AFailedRecreationEndsTheLoopAndTheNextRunTriesAgain) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterCreateSession, 2,
         [](const CallbackArguments&) { throw Error(Code::kInternal, "no room"); });
  fault_ = lost_in_call(1);
  MonitoredSession loop = session({h1});
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "no room");
  EXPECT_TRUE(loop.should_stop());
  EXPECT_EQ(loop.run(args_).scalar<float>(1), 2.0F);
  EXPECT_FALSE(loop.should_stop());
}

// Contract CLOSE-11.
TEST_F(RecoveryTest, WithoutALiveSessionNoHookIsEnded) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterCreateSession, 2,
         [](const CallbackArguments&) { throw Error(Code::kInternal, "no room"); });
  fault_ = lost_in_call(1);
  MonitoredSession loop = session({h1});
  EXPECT_EQ(thrown_by([&] { loop.run_until_stopped([&] { loop.run(args_); }); }), "no room");
  EXPECT_EQ(lines().back(), "h1.finished failure step=0");
}

TEST_F(RecoveryTest, AnotherErrorOfAThreadComesOutInsteadOfTheRecovery) {
  auto h1 = hook("h1");
  h1->at(Callback::kAfterCreateSession, 1, [&](const CallbackArguments& a) {
    a.coordinator->request_stop(std::make_exception_ptr(Error(Code::kDataLoss, "thread")));
  });
  fault_ = lost_in_call(1);
  MonitoredSession loop = session({h1});
  EXPECT_EQ(thrown_by([&] { loop.run(args_); }), "thread");
}

// Contract REC-3.
TEST_F(RecoveryTest, TheVerdictSaysThatTrainingBeganAnew) {
  fault_ = lost_in_call(3);
  MonitoredSession loop = session({});
  loop.run(args_);
  loop.run(args_);
  loop.run(args_);
  EXPECT_EQ(loop.step(), 1);
  const StopVerdict verdict = loop.close();
  EXPECT_EQ(verdict.notes,
            Lines{"recovered: no checkpoint was there to restore, so the training began anew"});
}

TEST_F(RecoveryTest, ARunWithoutHooksIsRecoveredToo) {
  fault_ = lost_in_call(1);
  MonitoredSession loop = session({});
  EXPECT_EQ(loop.run_without_hooks(args_).scalar<float>(1), 2.0F);
}

}  // namespace
}  // namespace fermata
