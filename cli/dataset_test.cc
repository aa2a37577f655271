#include "cli/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/npy_testing.h"
#include "cli/shuffle.h"
#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;

// Files with the numbers 0, 1, 2, … one a row.
class DatasetTest : public testing::Test {
 protected:
  NpyFile numbers(const std::string& name, std::int32_t rows) {
    return NpyFile(write_numbers(folder_ / name, rows));
  }

  Dataset dataset(std::int32_t rows, Dataset::Options options) { return {{numbers("x.npy", rows)}, options}; }

  // The rows of the next batches as "0 1 2|3 4", at most `count` of them.
  static std::string take(Dataset& data, int count) {
    std::string text;
    std::vector<Tensor> batch;
    for (int i = 0; i < count && data.next(batch); ++i) {
      text += i == 0 ? "" : "|";
      const auto values = batch.front().view().values<std::int32_t>();
      for (std::size_t j = 0; j < values.size(); ++j) {
        text += (j == 0 ? "" : " ") + std::to_string(values[j]);
      }
    }
    return text;
  }

  TempFolder folder_;
};

TEST_F(DatasetTest, RowsComeInFileOrderAndRepeat) {
  Dataset data = dataset(5, {.batch_size = 2});
  EXPECT_EQ(take(data, 5), "0 1|2 3|4|0 1|2 3");
}

TEST_F(DatasetTest, EndsAfterItsEpochs) {
  Dataset data = dataset(3, {.batch_size = 2, .epochs = 2});
  EXPECT_EQ(take(data, 99), "0 1|2|0 1|2");
  std::vector<Tensor> batch;
  EXPECT_FALSE(data.next(batch));
}

TEST_F(DatasetTest, DropsTheRemainder) {
  Dataset data = dataset(5, {.batch_size = 2, .epochs = 2, .drop_remainder = true});
  EXPECT_EQ(take(data, 99), "0 1|2 3|0 1|2 3");
}

TEST_F(DatasetTest, RowsOfAllFilesGoInTogether) {
  Dataset data({numbers("x.npy", 4), numbers("y.npy", 4)}, {.batch_size = 2, .shuffle_seed = 7});
  std::vector<Tensor> batch;
  ASSERT_TRUE(data.next(batch));
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_TRUE(identical(batch[0].view(), batch[1].view()));
}

TEST_F(DatasetTest, EachEpochIsShuffledAnew) {
  Dataset data = dataset(10, {.batch_size = 10, .shuffle_seed = 1});
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<Tensor> batch;
    ASSERT_TRUE(data.next(batch));
    const auto rows = shuffled_rows(1, epoch, 10);
    EXPECT_THAT(batch.front().view().values<std::int32_t>(), testing::ElementsAreArray(rows));
  }
}

TEST_F(DatasetTest, GoesOnFromEachPosition) {
  for (const bool shuffled : {false, true}) {
    const Dataset::Options options{.batch_size = 3,
                                   .shuffle_seed = shuffled ? std::optional<std::uint64_t>(4) : std::nullopt,
                                   .epochs = 3};
    Dataset whole = dataset(8, options);
    const std::string all = take(whole, 99);
    for (int cut = 1; cut < 9; ++cut) {
      Dataset before = dataset(8, options);
      std::string text = take(before, cut);
      Dataset after = dataset(8, options);
      after.seek(before.position());
      EXPECT_EQ(text + "|" + take(after, 99), all) << cut;
    }
  }
}

TEST_F(DatasetTest, CountsTheBatchesThatAreLeft) {
  for (const bool drop : {false, true}) {
    Dataset data = dataset(7, {.batch_size = 3, .epochs = 2, .drop_remainder = drop});
    std::vector<Tensor> batch;
    for (std::int64_t left = drop ? 4 : 6; left > 0; --left) {
      EXPECT_EQ(data.batches_behind(data.position()), left);
      ASSERT_TRUE(data.next(batch));
    }
    EXPECT_EQ(data.batches_behind(data.position()), 0);
    EXPECT_FALSE(data.next(batch));
    EXPECT_EQ(data.batches_behind(data.position()), 0);
  }
  EXPECT_EQ(dataset(7, {.batch_size = 3}).batches_behind({}), std::nullopt);
}

TEST_F(DatasetTest, GoesOnBehindANumberOfBatches) {
  Dataset data = dataset(5, {.batch_size = 2});
  data.seek_behind(4);
  EXPECT_EQ(take(data, 3), "2 3|4|0 1");
}

TEST_F(DatasetTest, RefusesWhatDoesNotFit) {
  EXPECT_THROW(dataset(5, {.batch_size = 6}), Error);
  EXPECT_THROW(Dataset({numbers("x.npy", 5), numbers("y.npy", 4)}, {.batch_size = 2}), Error);
  Dataset data = dataset(5, {.batch_size = 2});
  EXPECT_THROW(data.seek({0, 6}), Error);
  EXPECT_THROW(data.seek({-1, 0}), Error);
}

}  // namespace
}  // namespace fermata::cli
