// Whatever throws where: every hook that began is told once, the first failure is the one that comes out, and
// nothing is left behind. Generated over every callback, position and kind of error.
#include <gtest/gtest.h>

#include <algorithm>

#include "session/loop_fixture.h"

namespace fermata {
namespace {

using testkit::Callback;
using testkit::CallbackArguments;

enum class Kind { kEngine, kUser, kEndOfInput, kPreemption };

struct Case {
  Callback callback;
  int position;
  Kind kind;
};

struct UserError {};

void raise(Kind kind) {
  switch (kind) {
    case Kind::kEngine:
      throw Error(Code::kInternal, "scripted", ErrorSource::kEngine);
    case Kind::kUser:
      throw UserError();
    case Kind::kEndOfInput:
      throw StopIteration("scripted");
    case Kind::kPreemption:
      throw Error(Code::kAborted, "scripted", ErrorSource::kEngine);
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Callback callback : {Callback::kBegin, Callback::kAfterCreateSession, Callback::kBeforeRun,
                                  Callback::kAfterRun, Callback::kEnd, Callback::kFinished}) {
    for (int position = 0; position < 3; ++position) {
      for (const Kind kind : {Kind::kEngine, Kind::kUser, Kind::kEndOfInput, Kind::kPreemption}) {
        cases.push_back({callback, position, kind});
      }
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kCallbacks[] = {"begin",   "after_create_session", "before_run", "after_run", "end",
                                        "finished"};
  constexpr const char* kKinds[] = {"engine", "user", "end_of_input", "preemption"};
  return std::string(kCallbacks[static_cast<int>(info.param.callback)]) + "_" +
         std::to_string(info.param.position) + "_" + kKinds[static_cast<int>(info.param.kind)];
}

class FailureMatrixTest : public LoopTest, public testing::WithParamInterface<Case> {
 protected:
  // Every call of the callback fails, so no recovery can succeed.
  std::vector<std::shared_ptr<testkit::RecordingHook>> scripted_hooks() {
    std::vector<std::shared_ptr<testkit::RecordingHook>> hooks = {hook("h0"), hook("h1"), hook("h2")};
    const Case& c = GetParam();
    hooks[static_cast<std::size_t>(c.position)]->at(
        c.callback, [kind = c.kind](const CallbackArguments&) { raise(kind); });
    return hooks;
  }

  // Runs three steps in the loop; true if something was thrown.
  bool drive(const std::vector<HookPtr>& hooks) {
    try {
      MonitoredSession loop = session(hooks);
      int left = 3;
      loop.run_until_stopped([&] {
        if (left-- == 0) {
          throw StopIteration("the body");
        }
        loop.run(args_);
      });
      verdict_ = loop.verdict();
      return false;
    } catch (const UserError&) {
      thrown_kind_ = Kind::kUser;
    } catch (const StopIteration&) {
      thrown_kind_ = Kind::kEndOfInput;
    } catch (const Error& error) {
      thrown_kind_ = error.code() == Code::kAborted ? Kind::kPreemption : Kind::kEngine;
    }
    return true;
  }

  std::optional<StopVerdict> verdict_;
  std::optional<Kind> thrown_kind_;
};

INSTANTIATE_TEST_SUITE_P(Every, FailureMatrixTest, testing::ValuesIn(all_cases()), case_name);

TEST_P(FailureMatrixTest, EveryHookThatBeganIsToldOnce) {
  const auto hooks = scripted_hooks();
  drive({hooks.begin(), hooks.end()});
  const Case& c = GetParam();
  for (int i = 0; i < 3; ++i) {
    const bool began = c.callback != Callback::kBegin || i < c.position;
    EXPECT_EQ(hooks[static_cast<std::size_t>(i)]->calls(Callback::kFinished), began ? 1U : 0U) << i;
  }
}

TEST_P(FailureMatrixTest, FinishedIsTheLastCallOfEachHook) {
  const auto hooks = scripted_hooks();
  drive({hooks.begin(), hooks.end()});
  const std::vector<std::string> all = lines();
  const auto first_finished = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return line.find(".finished") != std::string::npos;
  });
  EXPECT_TRUE(std::all_of(first_finished, all.end(), [](const std::string& line) {
    return line.find(".finished") != std::string::npos;
  }));
}

TEST_P(FailureMatrixTest, TheErrorComesOutAsItIsOrEndsTheLoopCleanly) {
  const auto hooks = scripted_hooks();
  const bool thrown = drive({hooks.begin(), hooks.end()});
  const Case& c = GetParam();
  const bool in_run = c.callback == Callback::kBeforeRun || c.callback == Callback::kAfterRun;
  const bool clean = c.callback == Callback::kFinished || (in_run && c.kind == Kind::kEndOfInput);
  EXPECT_EQ(thrown, !clean);
  if (thrown) {
    EXPECT_EQ(thrown_kind_, c.kind);
  } else {
    EXPECT_EQ(verdict_->reason, StopReason::kEndOfInput);
  }
}

TEST_P(FailureMatrixTest, EndIsCalledForAllOrForNone) {
  const auto hooks = scripted_hooks();
  drive({hooks.begin(), hooks.end()});
  const std::size_t ends = hooks[0]->calls(Callback::kEnd);
  EXPECT_LE(ends, 1U);
  EXPECT_EQ(hooks[1]->calls(Callback::kEnd), ends);
  EXPECT_EQ(hooks[2]->calls(Callback::kEnd), ends);
}

TEST_P(FailureMatrixTest, TheGraphIsOpenAgainAndCanBeTrained) {
  const auto hooks = scripted_hooks();
  drive({hooks.begin(), hooks.end()});
  EXPECT_FALSE(graph_.finalized());
  MonitoredSession again = session({});
  again.run(args_);
  EXPECT_EQ(again.step(), 1);
}

}  // namespace
}  // namespace fermata
