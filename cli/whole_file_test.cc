#include "cli/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(WholeFileTest, ReplacesAFileAndLeavesNothingAside) {
  const TempFolder folder;
  write_whole_file(folder / "report.json", "a longer text");
  write_whole_file(folder / "report.json", "new");
  EXPECT_EQ(content(folder / "report.json"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WholeFileTest, WritesToWhatIsNoPlainFile) { EXPECT_NO_THROW(write_whole_file("/dev/null", "text")); }

TEST(WholeFileTest, SaysWhyItFailed) {
  try {
    write_whole_file("/nowhere/report.json", "text");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/nowhere/report.json: cannot be written: No such file or directory; make the folder first, "
                 "or give another path");
    EXPECT_EQ(error.source(), ErrorSource::kSystem);
  }
}

}  // namespace
}  // namespace fermata::cli
