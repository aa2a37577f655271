#include "platform/errno_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace fermata {
namespace {

TEST(ErrnoErrorTest, SaysWhereWhatWhyAndWhatToDo) {
  const Error error = errno_error(ENOSPC, "write the file", "/runs/a/x.index");
  EXPECT_STREQ(
      error.what(),
      "/runs/a/x.index: cannot write the file: the disk is full; free some space or choose another disk");
  EXPECT_EQ(error.code(), Code::kResourceExhausted);
  EXPECT_EQ(error.source(), ErrorSource::kSystem);
}

TEST(ErrnoErrorTest, KnowsTheCommonCases) {
  EXPECT_EQ(errno_error(ENOENT, "open", "p").code(), Code::kNotFound);
  EXPECT_EQ(errno_error(EACCES, "open", "p").code(), Code::kPermissionDenied);
  EXPECT_EQ(errno_error(EROFS, "open", "p").code(), Code::kPermissionDenied);
  EXPECT_EQ(errno_error(EISDIR, "open", "p").code(), Code::kFailedPrecondition);
  EXPECT_EQ(errno_error(ENOTDIR, "open", "p").code(), Code::kFailedPrecondition);
  EXPECT_EQ(errno_error(EIO, "open", "p").code(), Code::kDataLoss);
}

TEST(ErrnoErrorTest, AnUnknownNumberKeepsTheSystemsWords) {
  const Error error = errno_error(ECONNRESET, "open the file", "p");
  EXPECT_EQ(error.code(), Code::kUnknown);
  EXPECT_STREQ(error.what(), "p: cannot open the file: Connection reset by peer");
}

TEST(ErrnoErrorTest, NoNumberLooksLikePreemptionOrEndOfInput) {
  for (int number = 1; number < 200; ++number) {
    const Error error = errno_error(number, "open", "p");
    EXPECT_NE(error.code(), Code::kUnavailable) << number;
    EXPECT_NE(error.code(), Code::kAborted) << number;
    EXPECT_NE(error.code(), Code::kOutOfRange) << number;
  }
}

TEST(ErrnoErrorTest, AnEmptyPathIsNamed) {
  EXPECT_STREQ(errno_error(ENOENT, "open the file", "").what(),
               "(empty path): cannot open the file: there is no such file or folder; check the path");
}

}  // namespace
}  // namespace fermata
