#include "wire/record_framing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace fermata::wire {
namespace {

using Status = RecordScanner::Status;

RecordScanner scan(const std::string& file) {
  return RecordScanner(
      [&file](std::uint64_t offset, void* to, std::size_t size) -> std::size_t {
        if (offset >= file.size()) {
          return 0;
        }
        size = std::min<std::size_t>(size, file.size() - static_cast<std::size_t>(offset));
        std::memcpy(to, file.data() + offset, size);
        return size;
      },
      file.size());
}

std::string file_of(const std::vector<std::string>& contents) {
  std::string file;
  for (const std::string& content : contents) {
    append_record(file, content);
  }
  return file;
}

// The bytes of the format, written out: length 3, its crc, "abc", its crc.
TEST(RecordFramingTest, HasTheBytesOfTheFormat) {
  const std::string file = file_of({"abc"});
  ASSERT_EQ(file.size(), 19U);
  EXPECT_EQ(file.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(file.substr(12, 3), "abc");
}

TEST(RecordFramingTest, RecordsComeBackInOrder) {
  const std::string file = file_of({"first", "", std::string(100000, 'x')});
  RecordScanner scanner = scan(file);
  EXPECT_EQ(scanner.next(), Status::kRecord);
  EXPECT_EQ(scanner.content(), "first");
  EXPECT_EQ(scanner.next(), Status::kRecord);
  EXPECT_EQ(scanner.content(), "");
  EXPECT_EQ(scanner.offset(), 21U);
  EXPECT_EQ(scanner.next(), Status::kRecord);
  EXPECT_EQ(scanner.content().size(), 100000U);
  EXPECT_EQ(scanner.next(), Status::kEnd);
  EXPECT_EQ(scanner.next(), Status::kEnd);
}

TEST(RecordFramingTest, ATornTailIsTornAtEveryLength) {
  const std::string whole = file_of({"first", "second"});
  for (std::size_t size = 22; size < whole.size(); ++size) {
    const std::string file = whole.substr(0, size);
    RecordScanner scanner = scan(file);
    EXPECT_EQ(scanner.next(), Status::kRecord);
    EXPECT_EQ(scanner.next(), Status::kTorn) << size;
    EXPECT_EQ(scanner.offset(), 21U);
    EXPECT_EQ(scanner.next(), Status::kTorn) << "stays where it is";
  }
}

TEST(RecordFramingTest, AWrongContentIsNamedAndPassed) {
  std::string file = file_of({"first", "second"});
  file[13] ^= 1;
  RecordScanner scanner = scan(file);
  EXPECT_EQ(scanner.next(), Status::kBadContent);
  EXPECT_EQ(scanner.next(), Status::kRecord);
  EXPECT_EQ(scanner.content(), "second");
}

TEST(RecordFramingTest, AfterAWrongLengthTheNextGoodRecordIsFoundOnRequest) {
  std::string file = file_of({"first", "second"});
  file[0] ^= 1;
  RecordScanner scanner = scan(file);
  EXPECT_EQ(scanner.next(), Status::kBadLength);
  EXPECT_EQ(scanner.next(), Status::kBadLength) << "stays where it is";
  EXPECT_TRUE(scanner.skip_to_good_record());
  EXPECT_EQ(scanner.next(), Status::kRecord);
  EXPECT_EQ(scanner.content(), "second");
  EXPECT_EQ(scanner.offset(), 21U);
}

TEST(RecordFramingTest, NothingGoodAfterAWrongLength) {
  std::string file = file_of({"first"});
  file[0] ^= 1;
  RecordScanner scanner = scan(file);
  EXPECT_EQ(scanner.next(), Status::kBadLength);
  EXPECT_FALSE(scanner.skip_to_good_record());
}

}  // namespace
}  // namespace fermata::wire
