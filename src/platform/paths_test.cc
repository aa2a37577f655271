#include "platform/paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"

namespace fermata {
namespace {

TEST(PathsTest, FolderOf) {
  EXPECT_EQ(folder_of("a/b/c"), "a/b");
  EXPECT_EQ(folder_of("a//c"), "a");
  EXPECT_EQ(folder_of("c"), ".");
  EXPECT_EQ(folder_of("/c"), "/");
  EXPECT_EQ(folder_of("a/"), "a");
  EXPECT_EQ(folder_of(""), ".");
}

TEST(PathsTest, NameOf) {
  EXPECT_EQ(name_of("a/b/c"), "c");
  EXPECT_EQ(name_of("c"), "c");
  EXPECT_EQ(name_of("a/"), "");
}

TEST(PathsTest, JoinsWithoutNormalising) {
  EXPECT_EQ(join_path("d", "m"), "d/m");
  EXPECT_EQ(join_path("d/", "m"), "d/m");
  EXPECT_EQ(join_path("d", "./m"), "d/./m");
  EXPECT_EQ(join_path("d", "../e/m"), "d/../e/m");
  EXPECT_EQ(join_path("", "m"), "m");
  EXPECT_EQ(join_path("d", "/m"), "/m");
}

TEST(PathsTest, RelativePath) {
  EXPECT_EQ(relative_path("/r/d/m-2", "/r/d"), "m-2");
  EXPECT_EQ(relative_path("/r/d/m-2", "/r/d/"), "m-2");
  EXPECT_EQ(relative_path("/r/e/m-2", "/r/d"), "../e/m-2");
  EXPECT_EQ(relative_path("/r/d/x/../m", "/r/d/./"), "m");
  EXPECT_EQ(relative_path("d/m-2", "d"), "m-2");
  EXPECT_EQ(relative_path("m-2", "."), "m-2");
  EXPECT_EQ(relative_path("m-2", ""), "m-2");
  EXPECT_EQ(relative_path("/m", "/"), "m");
}

TEST(PathsTest, OnePlaceHasOneSpelling) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "d");
  std::filesystem::create_symlink(folder / "d", folder / "link");
  const std::string expected = canonical_path(folder / "d");
  EXPECT_EQ(canonical_path(folder / "d/"), expected);
  EXPECT_EQ(canonical_path(folder / "./x/../d//"), expected);
  EXPECT_EQ(canonical_path(folder / "link"), expected);
  EXPECT_EQ(canonical_path(folder / "link/later"), expected + "/later");
  EXPECT_EQ(canonical_path(""), canonical_path("."));
}

}  // namespace
}  // namespace fermata
