#include "fermata/checkpoint_reader.h"

#include <gtest/gtest.h>

#include "fermata/error.h"

namespace fermata {
namespace {

const std::string kSharded =
    std::string(FERMATA_TEST_FIXTURES) + "/../conformance/files/checkpoint_sharded/model.ckpt-12";

TEST(CheckpointReaderTest, ListsTensorsOfAllShardsByName) {
  const CheckpointReader reader(kSharded);
  ASSERT_FALSE(reader.entries().empty());
  for (std::size_t i = 1; i < reader.entries().size(); ++i) {
    EXPECT_LT(reader.entries()[i - 1].name, reader.entries()[i].name);
  }
}

TEST(CheckpointReaderTest, ReadsEachTensorItLists) {
  const CheckpointReader reader(kSharded);
  for (const CheckpointEntry& entry : reader.entries()) {
    const Tensor value = reader.read(entry.name);
    EXPECT_EQ(value.dtype(), entry.dtype) << entry.name;
    EXPECT_EQ(Shape(value.shape().begin(), value.shape().end()), entry.shape) << entry.name;
  }
}

TEST(CheckpointReaderTest, NamesWhatIsNotThere) {
  EXPECT_THROW(CheckpointReader(testing::TempDir() + "no_such_checkpoint"), Error);
  EXPECT_THROW(static_cast<void>(CheckpointReader(kSharded).read("no_such_tensor")), Error);
}

}  // namespace
}  // namespace fermata
