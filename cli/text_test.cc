#include "cli/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fermata::cli {
namespace {

TEST(TextTest, NumbersHaveSixDigitsAtMost) {
  EXPECT_EQ(short_number(0.991666666), "0.991667");
  EXPECT_EQ(short_number(12), "12");
  EXPECT_EQ(short_number(1.5e-9), "1.5e-09");
  EXPECT_EQ(short_number(-std::nan("")), "nan");
  EXPECT_EQ(short_number(-INFINITY), "-inf");
}

TEST(TextTest, TimesHaveTheirTwoLargestUnits) {
  EXPECT_EQ(time_text(0.4), "0 s");
  EXPECT_EQ(time_text(59.4), "59 s");
  EXPECT_EQ(time_text(59.6), "1 min 0 s");
  EXPECT_EQ(time_text(11520), "3 h 12 min");
  EXPECT_EQ(time_text(-1), "0 s");
}

TEST(TextTest, RatesBelowTenKeepADigitMore) {
  EXPECT_EQ(rate_text(8123.4), "8123 steps/s");
  EXPECT_EQ(rate_text(2.54), "2.5 steps/s");
  EXPECT_EQ(rate_text(0.021), "0.021 steps/s");
}

TEST(TextTest, SizesChangeTheirUnitAtAThousand) {
  EXPECT_EQ(size_text(12), "12 bytes");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1000), "1 kB");
  EXPECT_EQ(size_text(999'999), "1 MB");
  EXPECT_EQ(size_text(4.25e9), "4.25 GB");
}

TEST(TextTest, AShellWordIsQuotedOnlyWhereNeeded) {
  EXPECT_EQ(shell_word("examples/digits.meta"), "examples/digits.meta");
  EXPECT_EQ(shell_word("my model.meta"), "'my model.meta'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace fermata::cli
