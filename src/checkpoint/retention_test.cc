#include "checkpoint/retention.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

using Names = std::vector<std::string>;

constexpr double kHour = 3600;

TEST(RetentionTest, KeepsTheNewest) {
  Retention retention({.max_to_keep = 2}, 0);
  EXPECT_FALSE(retention.add("m-1", 1));
  EXPECT_FALSE(retention.add("m-2", 2));
  EXPECT_EQ(retention.add("m-3", 3), "m-1");
  EXPECT_EQ(retention.add("m-4", 4), "m-2");
  EXPECT_EQ(retention.prefixes(), (Names{"m-3", "m-4"}));
}

TEST(RetentionTest, ZeroKeepsAllAndListsNothing) {
  Retention retention({.max_to_keep = 0}, 0);
  EXPECT_FALSE(retention.add("m-1", 1));
  EXPECT_FALSE(retention.add("m-2", 2));
  EXPECT_TRUE(retention.prefixes().empty());
}

TEST(RetentionTest, AListedNameMovesToTheEnd) {
  Retention retention({.max_to_keep = 2}, 0);
  EXPECT_FALSE(retention.add("m-1", 1));
  EXPECT_FALSE(retention.add("m-2", 2));
  EXPECT_FALSE(retention.add("m-1", 3));
  EXPECT_EQ(retention.add("m-3", 4), "m-2");
  EXPECT_EQ(retention.prefixes(), (Names{"m-1", "m-3"}));
}

// Contract SAVER-13.
TEST(RetentionTest, OneIsKeptForEachPeriod) {
  Retention retention({.max_to_keep = 1, .keep_every_n_hours = 1}, 0);
  EXPECT_FALSE(retention.add("m-1", 0.5 * kHour));
  EXPECT_EQ(retention.add("m-2", 1.5 * kHour), "m-1") << "saved before the first keep time";
  EXPECT_FALSE(retention.add("m-3", 1.6 * kHour)) << "m-2 is kept on disk, the next keep time is 2 h";
  EXPECT_EQ(retention.add("m-4", 2.5 * kHour), "m-3");
  EXPECT_FALSE(retention.add("m-5", 2.6 * kHour));
  EXPECT_EQ(retention.prefixes(), Names{"m-5"});
}

TEST(RetentionTest, RecoveredOnesAreTheOldest) {
  Retention retention({.max_to_keep = 2}, 0);
  retention.recover({{"m-1", 1}, {"m-2", 2}});
  EXPECT_EQ(retention.add("m-3", 3), "m-1");
  EXPECT_EQ(retention.prefixes(), (Names{"m-2", "m-3"}));
}

TEST(RetentionTest, MoreAreRecoveredThanAreKept) {
  Retention retention({.max_to_keep = 1}, 0);
  retention.recover({{"m-1", 1}, {"m-2", 2}});
  EXPECT_EQ(retention.add("m-3", 3), "m-1") << "one at a time, as the reference";
  EXPECT_EQ(retention.prefixes(), (Names{"m-2", "m-3"}));
}

}  // namespace
}  // namespace fermata
