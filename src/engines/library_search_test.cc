#include "engines/library_search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

void put_libraries(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + kTensorFlowLibrary) << "x";
  std::ofstream(folder + "/" + kFrameworkLibrary) << "x";
}

class LibrarySearchTest : public testing::Test {
 protected:
  LibrarySearchTest() {
    here_.variable = folder_ / "variable";
    here_.configured = folder_ / "configured";
    here_.cache = folder_ / "cache";
    here_.home = folder_ / "home";
    here_.virtual_env = folder_ / "venv";
    here_.version = "2.21.0";
    here_.system_prefixes = {folder_ / "usr"};
  }

  [[nodiscard]] std::string found() const { return search_library("", here_).folder; }

  TempFolder folder_;
  SearchSurroundings here_;
};

TEST_F(LibrarySearchTest, FindsNothingAndNamesAllPlaces) {
  const FoundLibrary found = search_library("", here_);
  EXPECT_EQ(found.folder, "");
  EXPECT_EQ(found.places,
            (std::vector<std::string>{folder_ / "variable", folder_ / "configured",
                                      folder_ / "cache/tensorflow-2.21.0", folder_ / "venv/lib/python3*",
                                      folder_ / "cache/python-2.21.0/lib/python3*",
                                      folder_ / "home/.local/lib/python3*", folder_ / "usr/lib/python3*"}));
}

TEST_F(LibrarySearchTest, LaterPlacesGiveWayToEarlierOnes) {
  const std::string system = folder_ / "usr/lib/python3/dist-packages/tensorflow";
  put_libraries(system);
  EXPECT_EQ(found(), system);
  const std::string user = folder_ / "home/.local/lib/python3.11/site-packages/tensorflow";
  put_libraries(user);
  EXPECT_EQ(found(), user);
  const std::string python = folder_ / "cache/python-2.21.0/lib/python3.11/site-packages/tensorflow";
  put_libraries(python);
  EXPECT_EQ(found(), python);
  const std::string venv = folder_ / "venv/lib/python3.12/site-packages/tensorflow";
  put_libraries(venv);
  EXPECT_EQ(found(), venv);
  put_libraries(folder_ / "cache/tensorflow-2.21.0/lib");
  EXPECT_EQ(found(), folder_ / "cache/tensorflow-2.21.0/lib");
  put_libraries(folder_ / "configured");
  EXPECT_EQ(found(), folder_ / "configured");
  put_libraries(folder_ / "variable/lib");
  EXPECT_EQ(found(), folder_ / "variable/lib");
}

TEST_F(LibrarySearchTest, FolderThatIsGivenIsTheOnlyPlace) {
  put_libraries(folder_ / "variable/lib");
  const FoundLibrary found = search_library(folder_ / "given", here_);
  EXPECT_EQ(found.folder, "");
  EXPECT_EQ(found.places, std::vector<std::string>{folder_ / "given"});
}

TEST_F(LibrarySearchTest, OneOfTheTwoLibrariesIsNotEnough) {
  std::filesystem::create_directories(here_.variable);
  std::ofstream(here_.variable + "/" + kTensorFlowLibrary) << "x";
  EXPECT_EQ(found(), "");
}

}  // namespace
}  // namespace fermata::tensorflow
