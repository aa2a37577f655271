#include "cli/shuffle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace fermata::cli {
namespace {

using testing::ElementsAre;

// Computed once from the description in shuffle.h by another program. A run that is resumed counts on them.
TEST(ShuffleTest, OrdersStayForGood) {
  EXPECT_THAT(shuffled_rows(1, 0, 10), ElementsAre(7, 3, 6, 0, 4, 2, 8, 1, 9, 5));
  EXPECT_THAT(shuffled_rows(1, 1, 10), ElementsAre(2, 9, 7, 0, 3, 4, 8, 5, 6, 1));
  EXPECT_THAT(shuffled_rows(2, 0, 10), ElementsAre(3, 6, 9, 5, 8, 1, 0, 2, 7, 4));
  EXPECT_THAT(shuffled_rows(18446744073709551615U, 3, 7), ElementsAre(4, 0, 1, 2, 5, 3, 6));
}

TEST(ShuffleTest, EachRowIsThereOnce) {
  for (const std::uint32_t rows : {0U, 1U, 2U, 1000U}) {
    std::vector<std::uint32_t> expected(rows);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_THAT(shuffled_rows(5, 9, rows), testing::UnorderedElementsAreArray(expected));
  }
}

TEST(ShuffleTest, EachOrderIsAsLikelyAsTheOthers) {
  std::array<int, 3> first{};
  for (std::uint64_t epoch = 0; epoch < 3000; ++epoch) {
    ++first[shuffled_rows(1, epoch, 3)[0]];
  }
  for (const int count : first) {
    EXPECT_NEAR(count, 1000, 100);
  }
}

}  // namespace
}  // namespace fermata::cli
