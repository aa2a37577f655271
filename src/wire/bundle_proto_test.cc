#include "wire/bundle_proto.h"

#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

TEST(BundleProtoTest, HeaderHasTheBytesOfTheReference) {
  EXPECT_EQ(encode(BundleHeaderProto{.num_shards = 1}), std::string("\x08\x01\x1a\x02\x08\x01", 6));
}

TEST(BundleProtoTest, HeaderComesBack) {
  const auto header =
      decode_bundle_header(encode(BundleHeaderProto{.num_shards = 3, .big_endian = true, .min_consumer = 2}));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->num_shards, 3);
  EXPECT_TRUE(header->big_endian);
  EXPECT_EQ(header->min_consumer, 2);
}

// A scalar has an empty shape message, a size of zero an empty dimension.
TEST(BundleProtoTest, EntriesHaveTheBytesOfTheReference) {
  EXPECT_EQ(encode(BundleEntryProto{.dtype = 9, .offset = 43, .size = 8, .crc32c = 0x0afec8f4}),
            std::string("\x08\x09\x12\x00\x20\x2b\x28\x08\x35\xf4\xc8\xfe\x0a", 13));
  EXPECT_EQ(encode(BundleEntryProto{.dtype = 1, .shape = {0, 3}, .offset = 40, .crc32c = 0xa282ead8}),
            std::string("\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03\x20\x28\x35\xd8\xea\x82\xa2", 17));
}

TEST(BundleProtoTest, EntryWithSlicesComesBack) {
  BundleEntryProto entry{
      .dtype = 1, .shape = {5, 2}, .shard_id = 1, .offset = 1LL << 40, .size = 24, .crc32c = 77};
  entry.slices = {{{{0, 3}, {0, -1}}}, {{{3, 2}, {0, 0}}}};
  const auto decoded = decode_bundle_entry(encode(entry));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->shape, entry.shape);
  EXPECT_EQ(decoded->shard_id, 1);
  EXPECT_EQ(decoded->offset, 1LL << 40);
  EXPECT_EQ(decoded->crc32c, 77U);
  ASSERT_EQ(decoded->slices.size(), 2U);
  EXPECT_EQ(decoded->slices[0].extents[1].length, -1);
  EXPECT_EQ(decoded->slices[1].extents[0].start, 3);
  EXPECT_EQ(decoded->slices[1].extents[1].length, 0);
}

TEST(BundleProtoTest, TornMessagesAreRefused) {
  const std::string bytes =
      encode(BundleEntryProto{.dtype = 9, .shape = {4}, .offset = 43, .size = 8, .crc32c = 5});
  EXPECT_FALSE(decode_bundle_entry(bytes.substr(0, bytes.size() - 1)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NO_THROW((void)decode_bundle_entry(bytes.substr(0, size)));
    EXPECT_NO_THROW((void)decode_bundle_header(bytes.substr(0, size)));
  }
}

}  // namespace
}  // namespace fermata::wire
