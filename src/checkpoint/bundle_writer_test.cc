#include "checkpoint/bundle_writer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>

#include "checkpoint/bundle_reader.h"
#include "fermata/error.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

class BundleWriterTest : public testing::Test {
 protected:
  void SetUp() override { files_.create_directories("/d"); }

  // Writes and reads back.
  void expect_round_trip(const Tensor& value) {
    BundleWriter writer("/d/m", files_);
    writer.add("x", value.view());
    writer.finish();
    const BundleReader reader = BundleReader::open("/d/m", files_);
    EXPECT_TRUE(identical(reader.read("x").view(), value.view())) << dtype_name(value.dtype());
    EXPECT_NO_THROW(reader.verify());
  }

  static std::string text_of_failure(const std::function<void()>& call, Code code = Code::kInvalidArgument) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no failure";
  }

  MemoryFileSystem files_;
};

TEST_F(BundleWriterTest, EveryPlainTypeComesBack) {
  int types = 0;
  for (int number = 1; number <= 40; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype_size(dtype) == 0) {
      continue;
    }
    ++types;
    const auto fill = [&](void* to) {
      auto* bytes = static_cast<unsigned char*>(to);
      std::iota(bytes, bytes + 6 * dtype_size(dtype), static_cast<unsigned char>(0));
      if (dtype == DType::kBool) {
        std::memcpy(to, "\1\0\1\1\0\0", 6);
      }
    };
    expect_round_trip(Tensor::build(dtype, {2, 3}, fill));
    expect_round_trip(Tensor::build(dtype, {0, 3}, [](void*) {}));
  }
  EXPECT_EQ(types, 29);
}

TEST_F(BundleWriterTest, ScalarsAndManyDimensionsComeBack) {
  expect_round_trip(Tensor::scalar(std::int64_t{-5}));
  expect_round_trip(
      Tensor::of<float>({1, 1, 2, 1, 1, 1, 1, 1}, {1.5F, std::numeric_limits<float>::quiet_NaN()}));
}

TEST_F(BundleWriterTest, StringsComeBack) {
  expect_round_trip(Tensor::string_scalar(""));
  expect_round_trip(Tensor::string_scalar(std::string(100000, 'x')));
  expect_round_trip(Tensor::strings({0}, {}));
  expect_round_trip(
      Tensor::strings({2, 2}, {"", std::string("\0\xff", 2), "gr\u00fc\u00dfe", std::string(300, 'y')}));
}

TEST_F(BundleWriterTest, LargeAndSmallTensorsKeepTheirPlaces) {
  const std::vector<float> large(500000, 0.5F);
  BundleWriter writer("/d/m", files_);
  writer.add("small", Tensor::scalar(1.0F).view());
  writer.add("large", Tensor::of<float>({500000}, large).view());
  writer.add("last", Tensor::scalar(2.0F).view());
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.find("large")->offset, 4U);
  EXPECT_EQ(reader.read("large").view().values<float>().back(), 0.5F);
  EXPECT_EQ(reader.read("last").view().scalar<float>(), 2.0F);
}

TEST_F(BundleWriterTest, NamesInAnyOrderAreSortedInTheIndex) {
  BundleWriter writer("/d/m", files_);
  for (const char* name : {"b", "a/c", "a", "\xc3\xa9"}) {
    writer.add(name, Tensor::scalar(1).view());
  }
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  std::vector<std::string> names;
  for (const BundleEntry& entry : reader.entries()) {
    names.push_back(entry.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a/c", "b", "\xc3\xa9"}));
}

TEST_F(BundleWriterTest, ThousandsOfNames) {
  BundleWriter writer("/d/m", files_);
  for (int i = 0; i < 5000; ++i) {
    writer.add("layer_" + std::to_string(i) + "/kernel", Tensor::scalar(i).view());
  }
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(reader.entries().size(), 5000U);
  for (int i = 0; i < 5000; i += 499) {
    EXPECT_EQ(reader.read("layer_" + std::to_string(i) + "/kernel").view().scalar<int>(), i);
  }
}

TEST_F(BundleWriterTest, NothingAtAllIsAWholeBundle) {
  BundleWriter writer("/d/m", files_);
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_TRUE(reader.entries().empty());
  EXPECT_NO_THROW(reader.verify());
}

TEST_F(BundleWriterTest, PartsArePutTogether) {
  const TensorSlice top{{{0, 3}, {0, 2}}};
  const TensorSlice bottom{{{3, 2}, {0, TensorSlice::kWholeDimension}}};
  BundleWriter writer("/d/m", files_);
  writer.add_slice("table", {5, 2}, bottom, Tensor::of<float>({2, 2}, {6, 7, 8, 9}).view());
  writer.add_slice("table", {5, 2}, top, Tensor::of<float>({3, 2}, {0, 1, 2, 3, 4, 5}).view());
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  const Tensor whole = reader.read("table");
  const std::vector<float> expected = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_TRUE(identical(whole.view(), Tensor::of<float>({5, 2}, expected).view()));
  EXPECT_EQ(reader.read_slice("table", bottom).view().values<float>()[0], 6);
  EXPECT_EQ(reader.entries().size(), 1U);
  EXPECT_NO_THROW(reader.verify());
}

TEST_F(BundleWriterTest, PartsThatDoNotFillTheTensorAreDamage) {
  BundleWriter writer("/d/m", files_);
  writer.add_slice("table", {5}, {{{0, 3}}}, Tensor::of<float>({3}, {0, 1, 2}).view());
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(text_of_failure([&] { (void)reader.read("table"); }, Code::kDataLoss),
            "/d/m.index: the parts of 'table' hold 3 of 5 elements; use another checkpoint");
}

TEST_F(BundleWriterTest, OverlappingPartsAreDamage) {
  BundleWriter writer("/d/m", files_);
  writer.add_slice("t", {3}, {{{0, 2}}}, Tensor::of<float>({2}, {0, 1}).view());
  writer.add_slice("t", {3}, {{{1, 1}}}, Tensor::of<float>({1}, {0}).view());
  writer.finish();
  const BundleReader reader = BundleReader::open("/d/m", files_);
  EXPECT_EQ(text_of_failure([&] { (void)reader.read("t"); }, Code::kDataLoss),
            "/d/m.index: parts of 't' overlap; use another checkpoint");
}

TEST_F(BundleWriterTest, RefusesWhatCannotBeSaved) {
  BundleWriter writer("/d/m", files_);
  writer.add("x", Tensor::scalar(1).view());
  const Tensor one = Tensor::scalar(1.0F);
  EXPECT_EQ(text_of_failure([&] { writer.add("", one.view()); }),
            "checkpoint /d/m: a tensor without a name cannot be saved, give it one");
  EXPECT_EQ(text_of_failure([&] { writer.add("x", one.view()); }),
            "checkpoint /d/m: 'x' is there already, each name can be saved once");
  EXPECT_EQ(text_of_failure([&] { writer.add("y", TensorView()); }),
            "checkpoint /d/m: 'y' is invalid, only plain data and strings can be saved");
  EXPECT_EQ(text_of_failure([&] {
              writer.add_slice("y", {5}, {{{0, 3}}}, one.view());
            }),
            "checkpoint /d/m: a value of shape [] is no part 0,3 of 'y' of shape [5]");
  EXPECT_EQ(text_of_failure([&] { writer.add_slice("x", {}, {}, one.view()); }),
            "checkpoint /d/m: 'x' is there already as something else");
}

TEST_F(BundleWriterTest, AnUnfinishedWriterLeavesNothing) {
  { BundleWriter("/d/m", files_).add("x", Tensor::scalar(1).view()); }
  EXPECT_TRUE(files_.list("/d").empty());
}

TEST_F(BundleWriterTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_THROW(BundleWriter("/nowhere/m", files_), Error);
}

TEST_F(BundleWriterTest, WhatIsFinishedSurvivesAPowerLoss) {
  BundleWriter writer("/d/m", files_);
  writer.add("x", Tensor::scalar(7).view());
  writer.finish();
  const auto left = files_.after_power_loss();
  EXPECT_EQ(BundleReader::open("/d/m", *left).read("x").view().scalar<int>(), 7);
}

TEST_F(BundleWriterTest, AFailureAnywhereLeavesTheCallerAnErrorAndNoIndex) {
  for (std::size_t number = 1;; ++number) {
    MemoryFileSystem files;
    files.create_directories("/d");
    files.fail_once(files.calls().size() + number, ENOSPC);
    bool failed = false;
    try {
      BundleWriter writer("/d/m", files);
      writer.add("x", Tensor::scalar(7).view());
      writer.finish();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
      failed = true;
    }
    if (!failed) {
      EXPECT_GT(number, 8U);
      break;
    }
    if (files.info("/d/m.index")) {
      EXPECT_NO_THROW(BundleReader::open("/d/m", files).verify());
    }
  }
}

}  // namespace
}  // namespace fermata
