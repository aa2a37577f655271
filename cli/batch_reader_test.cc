#include "cli/batch_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/npy_testing.h"
#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

class BatchReaderTest : public testing::Test {
 protected:
  Dataset numbers(Dataset::Options options) {
    return {{NpyFile(write_numbers(folder_ / "x.npy", 10))}, options};
  }

  // All rows of the next `count` batches.
  template <typename Source>
  static std::vector<std::int32_t> take(Source& source, int count) {
    std::vector<std::int32_t> rows;
    std::vector<Tensor> batch;
    for (int i = 0; i < count && source.next(batch); ++i) {
      const auto values = batch.front().view().values<std::int32_t>();
      rows.insert(rows.end(), values.begin(), values.end());
    }
    return rows;
  }

  TempFolder folder_;
};

// Every batch is read ahead where the least size is 0.
TEST_F(BatchReaderTest, GivesTheBatchesOfTheDataSetInItsOrder) {
  for (const std::optional<std::uint64_t> seed :
       {std::optional<std::uint64_t>(7), std::optional<std::uint64_t>()}) {
    for (const std::size_t least : {std::size_t{0}, BatchReader::kLeastBytes}) {
      Dataset expected = numbers({.batch_size = 4, .shuffle_seed = seed, .epochs = 3});
      BatchReader reader(expected, least);
      EXPECT_EQ(take(reader, 100), take(expected, 100));
    }
  }
}

TEST_F(BatchReaderTest, TheEndComesAgainAndAgain) {
  BatchReader reader(numbers({.batch_size = 10, .shuffle_seed = 1, .epochs = 1}), 0);
  std::vector<Tensor> batch;
  EXPECT_TRUE(reader.next(batch));
  EXPECT_FALSE(reader.next(batch));
  EXPECT_FALSE(reader.next(batch));
}

// What goes into a checkpoint must not count a batch that no step has had.
TEST_F(BatchReaderTest, ThePositionIsBehindTheBatchThatWasGiven) {
  Dataset plain = numbers({.batch_size = 4, .shuffle_seed = 3});
  BatchReader reader(plain, 0);
  std::vector<Tensor> batch;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(reader.next(batch));
    ASSERT_TRUE(plain.next(batch));
    EXPECT_EQ(reader.dataset().position(), plain.position());
    EXPECT_EQ(reader.dataset().batches_left(), plain.batches_left());
  }
}

TEST_F(BatchReaderTest, WhatWasReadAheadOfASeekIsForgotten) {
  Dataset plain = numbers({.batch_size = 4, .shuffle_seed = 3});
  BatchReader reader(plain, 0);
  const std::vector<std::int32_t> rows = take(reader, 5);
  reader.seek({0, 4});
  plain.seek({0, 4});
  EXPECT_EQ(take(reader, 4), take(plain, 4));
  reader.seek_behind(0);
  EXPECT_EQ(take(reader, 5), rows);
  EXPECT_THROW(reader.seek({0, 11}), Error);
}

TEST_F(BatchReaderTest, ABatchOutlivesTheNextOnes) {
  BatchReader reader(numbers({.batch_size = 5, .shuffle_seed = 3}), 0);
  std::vector<Tensor> first;
  ASSERT_TRUE(reader.next(first));
  const Tensor kept = first.front();
  const Tensor copy = kept.view().copy();
  static_cast<void>(take(reader, 20));
  EXPECT_TRUE(std::ranges::equal(kept.view().values<std::int32_t>(), copy.view().values<std::int32_t>()));
}

}  // namespace
}  // namespace fermata::cli
