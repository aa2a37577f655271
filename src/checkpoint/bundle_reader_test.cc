#include "checkpoint/bundle_reader.h"

#include <gtest/gtest.h>

#include <functional>

#include "checkpoint/bundle_writer.h"
#include "checkpoint/index_table.h"
#include "fermata/error.h"
#include "platform/file_content.h"
#include "tests/support/memory_file_system.h"
#include "wire/bundle_proto.h"

namespace fermata {
namespace {

class BundleReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.create_directories("/d");
    BundleWriter writer("/d/m", files_);
    writer.add("loss", Tensor::of<float>({3}, {1, 2, 3}).view());
    writer.add("step", Tensor::scalar(std::int64_t{7}).view());
    writer.add("words", Tensor::strings({2}, {"one", "two"}).view());
    writer.finish();
    index_ = read_whole_file(files_, kIndexPath);
    data_ = read_whole_file(files_, kDataPath);
  }

  // "CODE text", or "whole".
  static std::string outcome(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return code_name(error.code()) + " " + error.what();
    }
    return "whole";
  }
  std::string check() {
    return outcome([&] { BundleReader::open("/d/m", files_).verify(); });
  }
  void write(const std::string& path, const std::string& content) {
    write_synced_file(files_, path, content);
  }
  void write_index(const std::map<std::string, std::string>& records) {
    const auto file = files_.create(kIndexPath);
    write_index_table(*file, records);
  }

  static constexpr const char* kIndexPath = "/d/m.index";
  static constexpr const char* kDataPath = "/d/m.data-00000-of-00001";
  MemoryFileSystem files_;
  std::string index_;
  std::string data_;
};

TEST_F(BundleReaderTest, FindsByName) {
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.num_shards(), 1);
  EXPECT_EQ(reader.prefix(), "/d/m");
  ASSERT_NE(reader.find("step"), nullptr);
  EXPECT_EQ(reader.find("step")->dtype, DType::kInt64);
  EXPECT_EQ(reader.find("ste"), nullptr);
  EXPECT_EQ(reader.find("zzz"), nullptr);
}

TEST_F(BundleReaderTest, AnUnknownNameIsAnswered) {
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(outcome([&] { (void)reader.read("los"); }),
            "NOT_FOUND /d/m.index: it has no tensor 'los'; did you mean 'loss' or 'words'?");
  EXPECT_EQ(outcome([&] {
              (void)reader.read_slice("loss", {{{0, 3}}});
            }),
            "NOT_FOUND /d/m.index: it has no part 0,3 of 'loss'");
}

TEST_F(BundleReaderTest, NoIndex) {
  EXPECT_EQ(outcome([&] { (void)BundleReader::open("/d/n", files_); }),
            "NOT_FOUND /d/n.index: cannot open the file: there is no such file or folder; check the path");
}

TEST_F(BundleReaderTest, NoDataFile) {
  files_.remove(kDataPath);
  const std::string expected =
      "NOT_FOUND /d/m.data-00000-of-00001: cannot open the file: there is no such file or folder; check the "
      "path";
  EXPECT_EQ(check(), expected);
  EXPECT_EQ(
      outcome([&] { BundleReader::open("/d/m", files_).verify_sizes(); }),
      "NOT_FOUND /d/m.data-00000-of-00001: a data file of the checkpoint was expected, there is none; use "
      "another checkpoint");
}

// report CU-09
TEST_F(BundleReaderTest, AnIndexTornAnywhereIsDamage) {
  for (std::size_t size = 0; size < index_.size(); ++size) {
    write(kIndexPath, index_.substr(0, size));
    EXPECT_TRUE(check().starts_with("DATA_LOSS /d/m.index: the index of a checkpoint was expected, found "))
        << size << " " << check();
  }
}

TEST_F(BundleReaderTest, ADataFileTornAnywhereIsDamage) {
  for (std::size_t size = 0; size < data_.size(); ++size) {
    write(kDataPath, data_.substr(0, size));
    EXPECT_TRUE(check().starts_with("DATA_LOSS /d/m.data-00000-of-00001: ")) << size << " " << check();
    EXPECT_TRUE(outcome([&] { BundleReader::open("/d/m", files_).verify_sizes(); }).starts_with("DATA_LOSS"))
        << size;
  }
}

TEST_F(BundleReaderTest, AWrongBitAnywhereInTheDataIsDamage) {
  for (std::size_t at = 0; at < data_.size(); ++at) {
    std::string wrong = data_;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    write(kDataPath, wrong);
    EXPECT_TRUE(check().starts_with("DATA_LOSS /d/m.data-00000-of-00001: the bytes of '"))
        << at << " " << check();
  }
}

// Some bits of the index mean nothing: an empty block that nobody reads, and the padding in the last 48
// bytes.
TEST_F(BundleReaderTest, AWrongBitInTheIndexIsDamageOrChangesNothing) {
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < index_.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = index_;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      write(kIndexPath, wrong);
      const std::string found = check();
      EXPECT_TRUE(found == "whole" || found.starts_with("DATA_LOSS /d/m.index: ")) << at << " " << found;
      harmless += found == "whole" ? 1 : 0;
    }
  }
  EXPECT_LT(harmless, (13U + 48U) * 8U);
}

TEST_F(BundleReaderTest, DamageIsNamedWithItsTensor) {
  std::string wrong = data_;
  wrong[0] = 'x';
  write(kDataPath, wrong);
  EXPECT_EQ(
      check(),
      "DATA_LOSS /d/m.data-00000-of-00001: the bytes of 'loss' do not have the checksum of the index; use "
      "another checkpoint");
}

TEST_F(BundleReaderTest, SomethingElseIsNoIndex) {
  write(kIndexPath, std::string(1000, 'x'));
  EXPECT_EQ(
      check(),
      "DATA_LOSS /d/m.index: the index of a checkpoint was expected, found 1000 bytes without the mark at "
      "their end, torn or something else; use another checkpoint");
}

TEST_F(BundleReaderTest, ATableThatIsNoIndex) {
  write_index({{"a", "b"}});
  EXPECT_EQ(check(),
            "DATA_LOSS /d/m.index: the index of a checkpoint was expected, found no header; use another "
            "checkpoint");
  write_index({});
  EXPECT_EQ(check(),
            "DATA_LOSS /d/m.index: the index of a checkpoint was expected, found no header; use another "
            "checkpoint");
}

TEST_F(BundleReaderTest, BigEndianAndLaterFormatsAreRefused) {
  write_index({{"", wire::encode(wire::BundleHeaderProto{.num_shards = 1, .big_endian = true})}});
  EXPECT_EQ(check(),
            "UNIMPLEMENTED /d/m.index: the checkpoint was written by a big-endian machine, little-endian was "
            "expected; write the checkpoint anew");
  write_index({{"", wire::encode(wire::BundleHeaderProto{.num_shards = 1, .min_consumer = 2})}});
  EXPECT_EQ(check(),
            "UNIMPLEMENTED /d/m.index: the checkpoint has format 2, 1 or less was expected; write the "
            "checkpoint anew");
}

// Entries that no writer makes, each with a right checksum of the index around it.
TEST_F(BundleReaderTest, ImpossibleEntriesAreDamage) {
  const wire::BundleEntryProto good{.dtype = 1, .shape = {3}, .offset = 0, .size = 12, .crc32c = 1};
  std::vector<wire::BundleEntryProto> bad(8, good);
  bad[0].shape = {-1};
  bad[1].shape = {INT64_MAX, INT64_MAX};
  bad[2].shape = {INT64_MAX};
  bad[3].shard_id = 1;
  bad[4].shard_id = -1;
  bad[5].offset = -1;
  bad[6].size = 11;
  bad[7].slices = {{{{0, 4}}}};
  for (const wire::BundleEntryProto& entry : bad) {
    write_index({{"", wire::encode(wire::BundleHeaderProto{.num_shards = 1})}, {"x", wire::encode(entry)}});
    EXPECT_TRUE(check().starts_with("DATA_LOSS /d/m.index: ")) << check();
  }
}

// A size that no memory has is refused by the size of the file before anything is set aside.
TEST_F(BundleReaderTest, AHugeTensorInASmallFileIsDamage) {
  const std::int64_t count = std::int64_t{1} << 58;
  write_index({{"", wire::encode(wire::BundleHeaderProto{.num_shards = 1})},
               {"x", wire::encode(wire::BundleEntryProto{.dtype = 1, .shape = {count}, .size = 4 * count})}});
  EXPECT_EQ(
      outcome([&] { (void)BundleReader::open("/d/m", files_).read("x"); }),
      "DATA_LOSS /d/m.data-00000-of-00001: 32 bytes, but 'x' should be at byte 0 with 1152921504606846976 "
      "bytes; use another checkpoint");
}

TEST_F(BundleReaderTest, TypesWithoutPlainDataAreListedButNotRead) {
  write_index({{"", wire::encode(wire::BundleHeaderProto{.num_shards = 1})},
               {"v", wire::encode(wire::BundleEntryProto{.dtype = 21, .size = 3, .crc32c = 5})}});
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.entries().size(), 1U);
  EXPECT_NO_THROW(reader.verify());
  EXPECT_EQ(outcome([&] { (void)reader.read("v"); }),
            "UNIMPLEMENTED /d/m.index: 'v' is variant, which has no plain data to read");
}

}  // namespace
}  // namespace fermata
