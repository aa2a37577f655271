#include "wire/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace fermata::wire {
namespace {

TEST(Crc32cTest, HasTheStandardCheckValue) { EXPECT_EQ(crc32c("123456789"), 0xe3069283U); }

// Vectors of RFC 3720, B.4.
TEST(Crc32cTest, AgreesWithTheVectorsOfIscsi) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising.push_back(c);
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
}

TEST(Crc32cTest, OfNothingIsZero) { EXPECT_EQ(crc32c(""), 0U); }

TEST(Crc32cTest, ExtendsPieceByPiece) {
  const std::string text = "a text that is cut in two at every place";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t first = extend_crc32c(0, text.data(), cut);
    EXPECT_EQ(extend_crc32c(first, text.data() + cut, text.size() - cut), crc32c(text)) << cut;
  }
}

TEST(Crc32cTest, MaskOfZeroIsTheConstantAndUnmaskingBringsBack) {
  EXPECT_EQ(mask_crc32c(0), 2726488792U);
  for (const std::uint32_t crc : {0U, 1U, 0xe3069283U, 0xffffffffU}) {
    EXPECT_EQ(unmask_crc32c(mask_crc32c(crc)), crc);
    EXPECT_NE(mask_crc32c(crc), crc);
  }
}

}  // namespace
}  // namespace fermata::wire
