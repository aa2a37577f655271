#include "checkpoint/bundle_files.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

TEST(BundleFilesTest, Names) {
  EXPECT_EQ(index_path("d/m-1"), "d/m-1.index");
  EXPECT_EQ(data_path("d/m-1", 0, 1), "d/m-1.data-00000-of-00001");
  EXPECT_EQ(data_path("d/m-1", 12, 345678), "d/m-1.data-00012-of-345678");
}

TEST(BundleFilesTest, TheDefinitionOfAShardHasTheNameOfTheWhole) {
  EXPECT_EQ(meta_path("d/m-1"), "d/m-1.meta");
  EXPECT_EQ(meta_path("d/m-1", "graph"), "d/m-1.graph");
  EXPECT_EQ(meta_path("d/m-1-00000-of-00002"), "d/m-1.meta");
  EXPECT_EQ(meta_path("d/m-\?\?\?\?\?-of-00002"), "d/m.meta");
  for (const char* other : {"d/m-of-2", "d/m-1-of-", "d/m--of-2", "d-0-of-2/m", "one-of-2", "m-x-of-2"}) {
    EXPECT_EQ(meta_path(other), std::string(other) + ".meta");
  }
}

TEST(BundleFilesTest, KnowsItsOwnFiles) {
  EXPECT_EQ(parse_bundle_file("m-1.index", "m-1")->kind, BundleFile::Kind::kIndex);
  EXPECT_EQ(parse_bundle_file("m-1.meta", "m-1")->kind, BundleFile::Kind::kMeta);
  EXPECT_EQ(parse_bundle_file("m-1.manifest.json", "m-1")->kind, BundleFile::Kind::kManifest);
  const auto data = parse_bundle_file("m-1.data-00001-of-00002", "m-1");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->kind, BundleFile::Kind::kData);
  EXPECT_EQ(data->num_shards, 2);
}

TEST(BundleFilesTest, LeavesTheFilesOfOthers) {
  for (const char* name :
       {"m-10.index", "m-1", "m-1.index.tempstate0", "m-1.data-0-of-1", "m-1.data-00000-of-",
        "m-1.data-00000-of-0000x", "m-1.data-99999999999-of-00001", "x", "m-1.data-"}) {
    EXPECT_FALSE(parse_bundle_file(name, "m-1")) << name;
  }
}

}  // namespace
}  // namespace fermata
