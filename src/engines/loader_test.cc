// What is said when the engine cannot be loaded. It never is in this program.
#include "engines/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "engines/library_search.h"
#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::tensorflow {
namespace {

std::string load_error(const std::string& folder) {
  try {
    static_cast<void>(load_runtime({.library_dir = folder}));
  } catch (const Error& error) {
    EXPECT_EQ(error.source(), ErrorSource::kSystem);
    return error.what();
  }
  return "(no error)";
}

TEST(LoaderTest, MissingLibrarySaysWhereItWasLookedFor) {
  const TempFolder folder;
  EXPECT_EQ(
      load_error(folder.path()),
      "TensorFlow's library libtensorflow_cc.so.2 was not found in " + folder.path() +
          "; run scripts/setup to install it, or set FERMATA_TENSORFLOW_DIR to the folder that holds it");
}

TEST(LoaderTest, FileThatIsNoLibraryIsNamed) {
  const TempFolder folder;
  std::ofstream(folder / kTensorFlowLibrary) << "no library";
  std::ofstream(folder / kFrameworkLibrary) << "no library";
  EXPECT_THAT(
      load_error(folder.path()),
      testing::MatchesRegex(".*/libtensorflow_framework.so.2 cannot be loaded: .*; run scripts/setup to "
                            "install it anew"));
}

TEST(LoaderTest, OtherVersionIsNamed) {
  const std::string folder = std::getenv("FERMATA_OTHER_TENSORFLOW");
  EXPECT_EQ(load_error(folder),
            folder +
                "/libtensorflow_cc.so.2 is of TensorFlow 2.20.0, but this build of Fermata needs "
                "2.21.0; run scripts/setup to install that version");
}

}  // namespace
}  // namespace fermata::tensorflow
