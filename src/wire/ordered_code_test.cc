#include "wire/ordered_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace fermata::wire {
namespace {

std::string number(std::uint64_t value) {
  std::string out;
  append_ordered(out, value);
  return out;
}

std::string signed_number(std::int64_t value) {
  std::string out;
  append_ordered_signed(out, value);
  return out;
}

TEST(OrderedCodeTest, Numbers) {
  EXPECT_EQ(number(0), std::string(1, '\0'));
  EXPECT_EQ(number(2), "\1\2");
  EXPECT_EQ(number(0x1234), "\2\x12\x34");
  EXPECT_EQ(number(~std::uint64_t{0}), "\x08" + std::string(8, '\xff'));
}

TEST(OrderedCodeTest, BytesAreEscapedAndEnded) {
  std::string out;
  append_ordered(out, std::string_view("a\0b\xff", 4));
  EXPECT_EQ(out, std::string("a\0\xff"
                             "b\xff\0\0\1",
                             8));
}

TEST(OrderedCodeTest, SignedNumbers) {
  EXPECT_EQ(signed_number(0), "\x80");
  EXPECT_EQ(signed_number(3), "\x83");
  EXPECT_EQ(signed_number(63), "\xbf");
  EXPECT_EQ(signed_number(64), "\xc0\x40");
  EXPECT_EQ(signed_number(-1), "\x7f");
  EXPECT_EQ(signed_number(-64), "\x40");
  EXPECT_EQ(signed_number(-65), "\x3f\xbf");
  EXPECT_EQ(signed_number(std::numeric_limits<std::int64_t>::max()), "\xff\xc0\x7f" + std::string(7, '\xff'));
  EXPECT_EQ(signed_number(std::numeric_limits<std::int64_t>::min()),
            std::string("\0\x3f\x80", 3) + std::string(7, '\0'));
}

TEST(OrderedCodeTest, OrderOfTheCodesIsTheOrderOfTheNumbers) {
  std::vector<std::int64_t> values = {std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max(), 0};
  for (int bit = 0; bit < 62; ++bit) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      values.push_back((std::int64_t{1} << bit) + offset);
      values.push_back(-(std::int64_t{1} << bit) + offset);
    }
  }
  for (const std::int64_t a : values) {
    for (const std::int64_t b : values) {
      EXPECT_EQ(signed_number(a) < signed_number(b), a < b) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace fermata::wire
