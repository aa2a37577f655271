#include "cli/npy_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/npy_file.h"
#include "cli/output_file.h"
#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write(const std::string& path, const TensorView& value) {
  OutputFile file(path);
  const NpyContent content = npy_content(value);
  file.write(content.header);
  file.write(content.values());
  file.finish();
}

TEST(NpyWriterTest, WhatIsWrittenIsReadAgain) {
  const TempFolder folder;
  const Tensor values = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  write(folder / "a.npy", values.view());
  const NpyFile file(folder / "a.npy");
  EXPECT_TRUE(identical(file.rows_from(0, 2).view(), values.view()));
}

TEST(NpyWriterTest, TextsAreFieldsOfBytes) {
  const TempFolder folder;
  write(folder / "a.npy", Tensor::strings({2}, {"a", "long"}).view());
  const NpyFile file(folder / "a.npy");
  EXPECT_EQ(file.rows_from(0, 2).view().string(0), "a");
  EXPECT_EQ(file.rows_from(0, 2).view().string(1), "long");
}

TEST(NpyWriterTest, BFloat16BecomesFloat) {
  const NpyContent content = npy_content(Tensor::of<BFloat16>({1}, {BFloat16{0x3fc0}}).view());
  float value = 0;
  ASSERT_EQ(content.values().size(), sizeof(value));
  std::memcpy(&value, content.values().data(), sizeof(value));
  EXPECT_EQ(value, 1.5F);
}

TEST(NpyWriterTest, ScalarsHaveAnEmptyShape) {
  const NpyContent content = npy_content(Tensor::scalar(std::int64_t{5}).view());
  EXPECT_NE(content.header.find("'shape': ()"), std::string::npos);
  EXPECT_EQ(content.header.size() % 64, 0U);
}

TEST(NpzWriterTest, HasEachArrayUnderItsName) {
  const TempFolder folder;
  NpzWriter writer(folder / "a.npz");
  writer.add("w", Tensor::scalar(1.0F).view());
  writer.add("scope/b", Tensor::of<double>({0, 3}, {}).view());
  writer.finish();
  const std::string bytes = bytes_of(folder / "a.npz");
  EXPECT_TRUE(bytes.starts_with("PK\x03\x04"));
  EXPECT_NE(bytes.find("w.npy"), std::string::npos);
  EXPECT_NE(bytes.find("scope/b.npy"), std::string::npos);
}

TEST(OutputFileTest, AnUnfinishedFileLeavesWhatWasThere) {
  const TempFolder folder;
  std::ofstream(folder / "a") << "old";
  { OutputFile(folder / "a").write("new"); }
  EXPECT_EQ(bytes_of(folder / "a"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(OutputFileTest, SaysWhatCannotBeWritten) { EXPECT_THROW(OutputFile("/nowhere/a"), Error); }

TEST(OutputFileTest, ADiskThatIsFullIsAnError) {
  OutputFile file("/dev/full");
  EXPECT_THROW(
      {
        file.write(std::string(1 << 20, 'x'));
        file.finish();
      },
      Error);
}

}  // namespace
}  // namespace fermata::cli
