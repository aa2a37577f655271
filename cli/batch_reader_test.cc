#include "cli/batch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/npy_testing.h"
#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::SizeIs;

// Each test with and without the thread: 0 bytes are always enough to read ahead, and these files never reach
// 1 MB.
class BatchReaderTest : public testing::TestWithParam<std::size_t> {
 protected:
  Dataset numbers(Dataset::Options options) {
    return {{NpyFile(write_numbers(folder_ / "x.npy", 11))}, options};
  }

  static std::vector<std::int32_t> values(const std::vector<Tensor>& batch) {
    const auto values = batch.front().view().values<std::int32_t>();
    return {values.begin(), values.end()};
  }

  static std::vector<std::int32_t> next(BatchReader& reader) {
    std::vector<Tensor> batch;
    return reader.next(batch) ? values(batch) : std::vector<std::int32_t>{};
  }

  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Ahead, BatchReaderTest, testing::Values(0, 1024 * 1024));

TEST_P(BatchReaderTest, GivesWhatTheDataSetGives) {
  for (const auto& seed : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(3)}) {
    const Dataset::Options options{.batch_size = 4, .shuffle_seed = seed, .epochs = 2};
    Dataset plain = numbers(options);
    BatchReader reader(numbers(options), GetParam());
    std::vector<Tensor> expected;
    std::vector<Tensor> batch;
    while (plain.next(expected)) {
      EXPECT_EQ(reader.batches_left(), plain.batches_behind(reader.position()));
      ASSERT_TRUE(reader.next(batch));
      ASSERT_THAT(batch, SizeIs(1));
      EXPECT_EQ(values(batch), values(expected));
      EXPECT_EQ(reader.position(), plain.position());
    }
    EXPECT_FALSE(reader.next(batch));
    EXPECT_FALSE(reader.next(batch));
    EXPECT_EQ(reader.position(), plain.position());
  }
}

TEST_P(BatchReaderTest, APlaceThatIsSoughtForgetsWhatWasReadAhead) {
  BatchReader reader(numbers({.batch_size = 4}), GetParam());
  next(reader);
  next(reader);
  reader.seek({0, 4});
  EXPECT_EQ(next(reader), (std::vector<std::int32_t>{4, 5, 6, 7}));
  reader.seek_behind(3);
  EXPECT_EQ(next(reader), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_P(BatchReaderTest, APlaceThatIsNotThereIsRefusedAndCostsNothing) {
  BatchReader reader(numbers({.batch_size = 4}), GetParam());
  next(reader);
  EXPECT_THROW(reader.seek({0, 12}), Error);
  EXPECT_EQ(next(reader), (std::vector<std::int32_t>{4, 5, 6, 7}));
}

TEST_P(BatchReaderTest, ItMayEndAtAnyTime) {
  for (int taken = 0; taken < 5; ++taken) {
    BatchReader reader(numbers({.batch_size = 4}), GetParam());
    for (int i = 0; i < taken; ++i) {
      next(reader);
    }
  }
}

TEST_P(BatchReaderTest, ARequestToStopDoesNotEndAReadThatNeedsNoWait) {
  std::stop_source source;
  source.request_stop();
  BatchReader reader(numbers({.batch_size = 4}), GetParam());
  std::vector<Tensor> batch;
  EXPECT_TRUE(reader.next(batch, source.get_token()));
  EXPECT_EQ(values(batch).size(), 4U);
}

}  // namespace
}  // namespace fermata::cli
