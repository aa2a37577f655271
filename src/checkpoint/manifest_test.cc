#include "checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "checkpoint/bundle_writer.h"
#include "platform/file_content.h"
#include "tests/support/memory_file_system.h"

namespace fermata {
namespace {

Manifest decoded(std::string_view text) {
  auto result = decode_manifest(text);
  if (const auto* fault = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *fault;
    return {};
  }
  return std::get<Manifest>(std::move(result));
}

std::string fault_of(std::string_view text) {
  const auto result = decode_manifest(text);
  const auto* fault = std::get_if<std::string>(&result);
  return fault == nullptr ? "" : *fault;
}

TEST(ManifestTest, AllComesBack) {
  Manifest manifest{
      500, 1700000000.25, "1.2.3", {{"m.index", 451, 77}, {"m.data-00000-of-00001", 1LL << 40, {}}}, {}};
  manifest.state.hooks["StepCounterHook"].set("last_step", std::int64_t{7});
  manifest.state.engine.set("step", std::int64_t{-1});
  const Manifest back = decoded(encode_manifest(manifest));
  EXPECT_EQ(back.step, 500);
  EXPECT_EQ(back.unix_seconds, 1700000000.25);
  EXPECT_EQ(back.fermata_version, "1.2.3");
  EXPECT_EQ(back.files, manifest.files);
  EXPECT_EQ(back.state.hooks.at("StepCounterHook").integer("last_step"), 7);
  EXPECT_EQ(back.state.engine.integer("step"), -1);
}

TEST(ManifestTest, WithoutAStep) { EXPECT_FALSE(decoded(encode_manifest({})).step); }

TEST(ManifestTest, EveryKindOfStateComesBackAsWhatItWas) {
  const double infinity = std::numeric_limits<double>::infinity();
  Manifest manifest;
  HookState& state = manifest.state.engine;
  state.set("whole", std::int64_t{INT64_MIN});
  state.set("round", 3.0);
  state.set("digits", 0.1);
  state.set("inf", infinity);
  state.set("-inf", -infinity);
  state.set("nan", std::numeric_limits<double>::quiet_NaN());
  state.set("text", std::string("gr\u00fc\u00dfe\n\"\\"));
  state.set("bytes", std::string("\xff\x00\x80", 3));
  const HookState back = decoded(encode_manifest(manifest)).state.engine;
  EXPECT_EQ(back.integer("whole"), INT64_MIN);
  EXPECT_FALSE(back.integer("round"));
  EXPECT_EQ(back.number("round"), 3.0);
  EXPECT_EQ(back.number("digits"), 0.1);
  EXPECT_EQ(back.number("inf"), infinity);
  EXPECT_EQ(back.number("-inf"), -infinity);
  EXPECT_TRUE(std::isnan(back.number("nan").value_or(0)));
  EXPECT_EQ(back.text("text"), "gr\u00fc\u00dfe\n\"\\");
  EXPECT_EQ(back.text("bytes"), std::string("\xff\x00\x80", 3));
}

TEST(ManifestTest, FieldsOfLaterVersionsAreSkipped) {
  EXPECT_EQ(
      decoded(R"({"format":1,"fermata":"9","time":0,"step":3,"files":[],"hooks":{},"engine":{},"more":[1]})")
          .step,
      3);
}

TEST(ManifestTest, WhatCannotBeReadIsSaid) {
  EXPECT_EQ(fault_of(R"({"format":2})"), "it has format 2, 1 or less was expected");
  EXPECT_NE(fault_of("{}"), "");
  EXPECT_NE(fault_of(""), "");
  EXPECT_NE(fault_of("[1]"), "");
  EXPECT_NE(fault_of(R"({"format":1,"fermata":"9","time":0,"step":"x","files":[],"hooks":{},"engine":{}})"),
            "");
}

TEST(ManifestTest, NumbersOfAnotherKindAreRefused) {
  const auto with = [](const std::string& step, const std::string& bytes, const std::string& value) {
    return R"({"format":1,"fermata":"9","time":0,"step":)" + step + R"(,"files":[{"name":"a","bytes":)" +
           bytes + R"(,"crc32c":5}],"hooks":{},"engine":{"v":)" + value + "}}";
  };
  EXPECT_EQ(fault_of(with("3", "5", "-7")), "");
  for (const char* number : {"1e300", "3.5", "9223372036854775808"}) {
    EXPECT_EQ(fault_of(with(number, "5", "7")).substr(0, 36),
              "a number is not what it should be: " + std::string(number, 1));
  }
  EXPECT_NE(fault_of(with("3", "-5", "7")), "");
  EXPECT_NE(fault_of(with("3", "1e30", "7")), "");
  EXPECT_NE(fault_of(with("3", "5", "9223372036854775808")), "");
}

TEST(ManifestTest, EveryBeginningIsRefused) {
  const std::string text = encode_manifest({500, 1.5, "1", {{"m.index", 451, 77}}, {}});
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_NE(fault_of(text.substr(0, size)), "") << size;
  }
}

class FindManifestTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.create_directories("/d");
    write_bundle(1);
    Manifest manifest;
    manifest.step = 7;
    manifest.files.push_back(describe_file(files_, "/d/m.index"));
    write_synced_file(files_, "/d/m.manifest.json", encode_manifest(manifest));
  }
  void write_bundle(int value) {
    BundleWriter writer("/d/m", files_);
    writer.add("x", Tensor::scalar(value).view());
    writer.finish();
  }
  MemoryFileSystem files_;
};

TEST_F(FindManifestTest, OneThatFits) {
  const FoundManifest found = find_manifest(files_, "/d/m");
  ASSERT_TRUE(found.manifest);
  EXPECT_EQ(found.manifest->step, 7);
  EXPECT_EQ(found.fault, "");
}

TEST_F(FindManifestTest, None) {
  const FoundManifest found = find_manifest(files_, "/d/other");
  EXPECT_FALSE(found.manifest);
  EXPECT_EQ(found.fault, "");
}

TEST_F(FindManifestTest, AnotherIndexMakesItVoid) {
  write_bundle(2);
  const FoundManifest found = find_manifest(files_, "/d/m");
  EXPECT_FALSE(found.manifest);
  EXPECT_EQ(found.fault, "/d/m.manifest.json: the index beside it is another one than it speaks of");
}

TEST_F(FindManifestTest, WithoutAnIndexItSaysNothing) {
  files_.remove("/d/m.index");
  EXPECT_FALSE(find_manifest(files_, "/d/m").manifest);
}

TEST_F(FindManifestTest, Garbage) {
  write_synced_file(files_, "/d/m.manifest.json", "{");
  const FoundManifest found = find_manifest(files_, "/d/m");
  EXPECT_FALSE(found.manifest);
  EXPECT_TRUE(found.fault.starts_with("/d/m.manifest.json: the manifest of a checkpoint was expected, but "));
}

}  // namespace
}  // namespace fermata
