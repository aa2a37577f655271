#include "fermata/error.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

std::exception_ptr error_of(Code code) { return std::make_exception_ptr(Error(code, "x")); }

TEST(ErrorTest, CodesHaveTheNamesOfTheReference) {
  EXPECT_EQ(code_name(Code::kOutOfRange), "OUT_OF_RANGE");
  EXPECT_EQ(code_name(Code::kUnauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(code_name(static_cast<Code>(99)), "CODE 99");
}

TEST(ErrorTest, OnlyAbortedAndUnavailableArePreemption) {
  for (int code = 1; code <= 16; ++code) {
    const bool expected = code == 10 || code == 14;
    EXPECT_EQ(is_preemption(error_of(static_cast<Code>(code))), expected) << code;
  }
  EXPECT_FALSE(is_preemption(nullptr));
}

TEST(ErrorTest, EndOfInputIsStopIterationOrOutOfRange) {
  EXPECT_TRUE(is_end_of_input(std::make_exception_ptr(StopIteration())));
  EXPECT_TRUE(is_end_of_input(error_of(Code::kOutOfRange)));
  EXPECT_FALSE(is_end_of_input(error_of(Code::kCancelled)));
  EXPECT_FALSE(is_end_of_input(std::make_exception_ptr(std::out_of_range("x"))));
}

TEST(ErrorTest, AnInterruptedWaitIsNoOtherCancellation) {
  EXPECT_TRUE(is_interrupted(std::make_exception_ptr(Interrupted("stopped"))));
  EXPECT_EQ(Interrupted("stopped").code(), Code::kCancelled);
  EXPECT_FALSE(is_interrupted(error_of(Code::kCancelled)));
  EXPECT_FALSE(is_interrupted(std::make_exception_ptr(7)));
  EXPECT_FALSE(is_interrupted(nullptr));
}

TEST(ErrorTest, AnyExceptionIsDescribed) {
  EXPECT_EQ(describe(error_of(Code::kUnknown)), "x");
  EXPECT_EQ(describe(std::make_exception_ptr(7)), "unknown error");
}

TEST(ErrorTest, MisuseIsTheCallersFault) {
  const Misuse error("late");
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_EQ(error.source(), ErrorSource::kCaller);
}

}  // namespace
}  // namespace fermata
