#include "wire/png.h"

#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

// What a well-known library reads as one row of a black and a white pixel.
TEST(PngTest, WritesTheBytesOfTheFormat) {
  const std::string expected(
      "\x89PNG\r\n\x1a\n"
      "\0\0\0\x0dIHDR\0\0\0\2\0\0\0\1\x08\0\0\0\0\xd1I V"
      "\0\0\0\x0eIDAT\x78\x01\x01\x03\0\xfc\xff\0\0\xff\x01\x02\x01\0"
      "\xb7\x01\x2e\xf7"
      "\0\0\0\0IEND\xae\x42\x60\x82",
      71);
  EXPECT_EQ(encode_png({"\0\xff", 2}, 1, 2, 1), expected);
}

TEST(PngTest, LargeImagesTakeSeveralBlocks) {
  const std::string pixels(std::size_t{300} * 300 * 3, '\x11');
  const std::string png = encode_png(pixels, 300, 300, 3);
  EXPECT_GT(png.size(), pixels.size() + 300);
  EXPECT_LT(png.size(), pixels.size() + 600);
}

}  // namespace
}  // namespace fermata::wire
