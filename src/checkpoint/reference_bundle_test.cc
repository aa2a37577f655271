// Checkpoints that the reference wrote, with what a reader must find in them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "platform/file_content.h"
#include "tests/support/fixtures.h"
#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

using nlohmann::json;

class ReferenceBundleTest : public testing::TestWithParam<const char*> {
 protected:
  ReferenceBundleTest()
      : prefix_(fixture_path(std::string("reference_files/") + GetParam() + "/model.ckpt-12")),
        expected_(json::parse(std::ifstream(prefix_ + ".json"))) {}

  std::string prefix_;
  json expected_;
};

std::string base64_decoded(const std::string& text) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') {
      break;
    }
    held = held * 64 + static_cast<unsigned>(kDigits.find(c));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(held >> bits));
      held &= (1U << bits) - 1;
    }
  }
  return bytes;
}

void expect_entry(const BundleEntry& entry, const json& expected) {
  EXPECT_EQ(dtype_name(entry.dtype), expected["dtype"]);
  EXPECT_EQ(json(entry.shape), expected["shape"]);
  EXPECT_EQ(entry.shard, expected["shard"]);
  EXPECT_EQ(entry.offset, expected["offset"]);
  EXPECT_EQ(entry.size_bytes, expected["size"]);
  EXPECT_EQ(entry.crc32c, expected["crc32c"]);
  json slices = json::array();
  for (const TensorSlice& slice : entry.slices) {
    json extents = json::array();
    for (const TensorSlice::Extent& extent : slice.extents) {
      extents.push_back({extent.start, extent.length});
    }
    slices.push_back(extents);
  }
  EXPECT_EQ(slices, expected.value("slices", json::array()));
}

void expect_value(const TensorView& value, std::int64_t index, const json& expected) {
  if (value.dtype() == DType::kString) {
    EXPECT_EQ(value.string(index), base64_decoded(expected));
  } else if (expected == "nan") {
    EXPECT_TRUE(std::isnan(value.as_double(index)));
  } else if (expected.is_boolean()) {
    EXPECT_EQ(value.as_double(index) != 0, expected.get<bool>());
  } else {
    EXPECT_EQ(value.as_double(index), expected.get<double>());
  }
}

TEST_P(ReferenceBundleTest, IndexIsRead) {
  const BundleReader reader = BundleReader::open(prefix_);
  EXPECT_EQ(reader.num_shards(), expected_["header"]["num_shards"]);
  std::size_t whole = 0;
  for (const json& row : expected_["table"]) {
    const std::string key = row["key"];
    if (key.starts_with("base64:")) {
      continue;
    }
    ++whole;
    SCOPED_TRACE(key);
    ASSERT_NE(reader.find(key), nullptr);
    expect_entry(*reader.find(key), row);
  }
  EXPECT_EQ(reader.entries().size(), whole);
}

TEST_P(ReferenceBundleTest, TensorsAreRead) {
  const BundleReader reader = BundleReader::open(prefix_);
  EXPECT_EQ(expected_["tensors"].size(), 10U);
  for (const auto& [name, expected] : expected_["tensors"].items()) {
    SCOPED_TRACE(name);
    const Tensor value = reader.read(name);
    EXPECT_EQ(dtype_name(value.dtype()), expected["dtype"]);
    EXPECT_EQ(json(Shape(value.shape().begin(), value.shape().end())), expected["shape"]);
    ASSERT_EQ(static_cast<std::size_t>(value.size()), expected["values"].size());
    for (std::int64_t i = 0; i < value.size(); ++i) {
      expect_value(value.view(), i, expected["values"][static_cast<std::size_t>(i)]);
    }
  }
}

TEST_P(ReferenceBundleTest, IsWhole) {
  const BundleReader reader = BundleReader::open(prefix_);
  EXPECT_NO_THROW(reader.verify());
  EXPECT_NO_THROW(reader.verify_sizes());
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceBundleTest, testing::Values("checkpoint", "checkpoint_sharded"));

// The same tensors in the same order of places give the same files, byte for byte.
TEST(ReferenceBundleWriterTest, WritesTheBytesOfTheReference) {
  const std::string prefix = fixture_path("reference_files/checkpoint/model.ckpt-12");
  const BundleReader reader = BundleReader::open(prefix);
  std::vector<const BundleEntry*> by_place;
  for (const BundleEntry& entry : reader.entries()) {
    by_place.push_back(&entry);
  }
  // The partitioned table has no place of its own; its parts lie before the strings.
  const auto place = [](const BundleEntry* entry) {
    return std::pair(entry->slices.empty() ? entry->offset : 63, entry->size_bytes);
  };
  std::sort(by_place.begin(), by_place.end(),
            [&](const auto* a, const auto* b) { return place(a) < place(b); });
  const TempFolder folder;
  BundleWriter writer(folder / "m");
  for (const BundleEntry* entry : by_place) {
    if (entry->slices.empty()) {
      writer.add(entry->name, reader.read(entry->name).view());
    }
    for (const TensorSlice& slice : entry->slices) {
      writer.add_slice(entry->name, entry->shape, slice, reader.read_slice(entry->name, slice).view());
    }
  }
  writer.finish();
  FileSystem& files = FileSystem::system();
  EXPECT_EQ(read_whole_file(files, data_path(folder / "m", 0, 1)),
            read_whole_file(files, data_path(prefix, 0, 1)));
  EXPECT_EQ(read_whole_file(files, index_path(folder / "m")), read_whole_file(files, index_path(prefix)));
}

}  // namespace
}  // namespace fermata
