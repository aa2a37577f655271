#include "fermata/stop_verdict.h"

#include <gtest/gtest.h>

#include "fermata/error.h"

namespace fermata {
namespace {

TEST(StopVerdictTest, SaysTheCauseInOneSentence) {
  StopVerdict verdict;
  verdict.reason = StopReason::kTargetReached;
  verdict.step = 10000;
  verdict.by = "StopAtStepHook";
  EXPECT_EQ(verdict.to_string(), "target reached at step 10000 (StopAtStepHook)");
}

TEST(StopVerdictTest, AFailureTellsItsError) {
  StopVerdict verdict;
  verdict.reason = StopReason::kFailure;
  verdict.error = std::make_exception_ptr(Error(Code::kDataLoss, "torn", ErrorSource::kSystem));
  EXPECT_EQ(verdict.to_string(), "failed: torn");
  EXPECT_EQ(verdict.exit_code(), 3);
}

TEST(StopVerdictTest, ASignalIsTheExitCodeOfTheShell) {
  StopVerdict verdict;
  verdict.reason = StopReason::kSignal;
  verdict.signal = 15;
  EXPECT_EQ(verdict.exit_code(), 143);
}

TEST(StopVerdictTest, CleanEndsAreZero) {
  for (const StopReason reason : {StopReason::kTargetReached, StopReason::kAlreadyAtTarget,
                                  StopReason::kEndOfInput, StopReason::kRequested, StopReason::kDeadline}) {
    StopVerdict verdict;
    verdict.reason = reason;
    EXPECT_EQ(verdict.exit_code(), 0) << stop_reason_name(reason);
  }
}

TEST(StopVerdictTest, EachKindOfErrorHasACodeOfTheTable) {
  const auto code = [](auto error) { return exit_code_for(std::make_exception_ptr(error)); };
  EXPECT_EQ(code(Misuse("x")), 2);
  EXPECT_EQ(code(NanLossError("x")), 6);
  EXPECT_EQ(code(Error(Code::kInvalidArgument, "x", ErrorSource::kEngine)), 5);
  EXPECT_EQ(code(Error(Code::kNotFound, "x", ErrorSource::kSystem)), 4);
  EXPECT_EQ(code(Error(Code::kUnimplemented, "x", ErrorSource::kSystem)), 7);
  EXPECT_EQ(code(7), 1);
}

}  // namespace
}  // namespace fermata
