#include "fermata/checkpoint_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "checkpoint/bundle_writer.h"
#include "fermata/error.h"
#include "fermata/saver.h"
#include "tests/support/fake_session.h"
#include "tests/support/fixtures.h"
#include "tests/support/temp_folder.h"
#include "wire/crc32c.h"

namespace fermata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class CheckpointReaderTest : public testing::Test {
 protected:
  std::string save(Saver& saver, Step step) {
    session_.variables["step"] = Tensor::scalar(step);
    return saver.save(session_, folder_ / "model.ckpt", step);
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const CheckpointListing& listing : list_checkpoints(folder_.path())) {
      all.push_back(std::filesystem::path(listing.prefix).filename().string() +
                    (listing.latest ? " latest" : "") + (listing.listed ? " listed" : "") +
                    (listing.pinned ? " pinned" : ""));
    }
    return all;
  }

  TempFolder folder_;
  FakeSession session_;
};

TEST_F(CheckpointReaderTest, SaysWhatThereIs) {
  session_.variables["w"] = Tensor::of<float>({2}, {1, 2});
  Saver saver({});
  const CheckpointReader reader(save(saver, 7));
  ASSERT_EQ(reader.entries().size(), 2U);
  EXPECT_EQ(reader.entries()[0].name, "step");
  EXPECT_EQ(reader.entries()[1].dtype, DType::kFloat);
  EXPECT_THAT(reader.entries()[1].shape, ElementsAre(2));
  EXPECT_EQ(reader.entries()[1].size_bytes, 8U);
  EXPECT_EQ(reader.entries()[1].crc32c, wire::crc32c({"\0\0\x80\x3f\0\0\0\x40", 8}));
  EXPECT_TRUE(reader.has_tensor("w"));
  EXPECT_FALSE(reader.has_tensor("v"));
  EXPECT_EQ(reader.get_tensor("step").view().scalar<Step>(), 7);
  EXPECT_THAT(message_of([&] { (void)reader.get_tensor("stop"); }), HasSubstr("'step'"));
}

TEST_F(CheckpointReaderTest, PartsAreShownAsTheWhole) {
  BundleWriter writer(folder_ / "m");
  writer.add_slice("p", {4, 2}, {{{0, 4}, {0, 1}}}, Tensor::of<float>({4, 1}, {1, 2, 3, 4}).view());
  writer.add_slice("p", {4, 2}, {{{0, 4}, {1, 1}}}, Tensor::of<float>({4, 1}, {5, 6, 7, 8}).view());
  writer.finish();
  const CheckpointReader reader(folder_ / "m");
  EXPECT_EQ(reader.entries().at(0).num_parts, 2U);
  EXPECT_EQ(reader.entries().at(0).size_bytes, 32U);
  EXPECT_FALSE(reader.entries().at(0).crc32c);
}

TEST_F(CheckpointReaderTest, ListsAFolderInTheOrderOfSteps) {
  Saver saver({}, {.max_to_keep = 2});
  for (const Step step : {9, 10, 100}) {
    save(saver, step);
  }
  saver.pin(folder_ / "model.ckpt-10");
  std::ofstream(folder_ / "model.ckpt-3.meta") << "alone";
  EXPECT_THAT(names(), ElementsAre("model.ckpt-10 listed pinned", "model.ckpt-100 latest listed"));
  EXPECT_GT(list_checkpoints(folder_.path())[0].size_bytes, 8U);
}

TEST_F(CheckpointReaderTest, FindsOneByPrefixFileOrFolder) {
  Saver saver({});
  save(saver, 9);
  const std::string newest = save(saver, 10);
  EXPECT_EQ(find_checkpoint(newest), newest);
  EXPECT_EQ(find_checkpoint(newest + ".index"), newest);
  EXPECT_EQ(find_checkpoint(folder_.path()), newest);
  std::filesystem::remove(folder_ / "checkpoint");
  EXPECT_EQ(find_checkpoint(folder_.path()), newest) << "by its step";
}

TEST_F(CheckpointReaderTest, SaysWhatItLookedFor) {
  EXPECT_THAT(message_of([&] { (void)find_checkpoint(folder_ / "none"); }), HasSubstr("found nothing"));
  EXPECT_THAT(message_of([&] { (void)find_checkpoint(folder_.path()); }), HasSubstr("a folder without any"));
  std::ofstream(folder_ / "file") << "text";
  EXPECT_THAT(message_of([&] { (void)find_checkpoint(folder_ / "file"); }), HasSubstr("another file"));
}

// report CU-09
TEST_F(CheckpointReaderTest, ReadsWhatPythonWrote) {
  const std::string prefix = std::string(FERMATA_TEST_FIXTURES) + "/checkpoints/counter";
  EXPECT_EQ(list_checkpoints(prefix).size(), 2U);
  EXPECT_EQ(find_checkpoint(prefix), prefix + "/model.ckpt-6");
}

}  // namespace
}  // namespace fermata
