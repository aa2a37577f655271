#include "cli/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "fermata/error.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

class MetricsFileTest : public testing::Test {
 protected:
  void write_loss(MetricsFile& file, Step step, float loss) {
    const Tensor value = Tensor::scalar(loss);
    const std::vector<NamedView> views = {{"loss", value.view()}};
    file.write({step, views});
  }
  void put(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "metrics.jsonl";
};

TEST_F(MetricsFileTest, WritesALineForEachStepAtOnce) {
  MetricsFile file(path_, 0);
  write_loss(file, 17, 0.25F);
  EXPECT_EQ(content(), "{\"step\":17,\"values\":{\"loss\":0.25}}\n");
  write_loss(file, 18, 0.1F);
  EXPECT_EQ(content(), "{\"step\":17,\"values\":{\"loss\":0.25}}\n{\"step\":18,\"values\":{\"loss\":0.1}}\n");
}

TEST_F(MetricsFileTest, AResumedRunCutsTheLinesPastItsStartAndAppends) {
  put("{\"step\":1,\"values\":{}}\n{\"step\":2,\"values\":{}}\n{\"step\":3,\"values\":{}}\n");
  MetricsFile file(path_, 2);
  write_loss(file, 3, 0.5F);
  EXPECT_EQ(
      content(),
      "{\"step\":1,\"values\":{}}\n{\"step\":2,\"values\":{}}\n{\"step\":3,\"values\":{\"loss\":0.5}}\n");
}

TEST_F(MetricsFileTest, ANewRunStartsAnEmptyFile) {
  put("{\"step\":1,\"values\":{}}\n");
  const MetricsFile file(path_, 0);
  EXPECT_EQ(content(), "");
}

TEST_F(MetricsFileTest, ATornLastLineIsCut) {
  for (const char* torn : {"{", "{\"st", "{\"step\":2,\"val", "{\"step\":2,\"values\":{}}"}) {
    put(std::string("{\"step\":1,\"values\":{}}\n") + torn);
    { const MetricsFile file(path_, 5); }
    EXPECT_EQ(content(), "{\"step\":1,\"values\":{}}\n");
    put(torn);
    { const MetricsFile file(path_, 5); }
    EXPECT_EQ(content(), "");
  }
}

TEST_F(MetricsFileTest, AFileOfAnotherKindIsLeftAsItIs) {
  for (const char* other :
       {"import sys\n", "import sys", "{\"step\":1,\"values\":{}}\nnotes\n", "[1]\n", "\n"}) {
    put(other);
    EXPECT_THROW(MetricsFile(path_, 0), Error) << other;
    EXPECT_EQ(content(), other);
  }
}

TEST_F(MetricsFileTest, AStepThatIsRunAgainReplacesItsLine) {
  MetricsFile file(path_, 0);
  for (const Step step : {1, 2, 3, 2}) {
    write_loss(file, step, 1.0F);
  }
  EXPECT_EQ(content(), "{\"step\":1,\"values\":{\"loss\":1.0}}\n{\"step\":2,\"values\":{\"loss\":1.0}}\n");
}

TEST_F(MetricsFileTest, SaysWhyAFileCannotBeWritten) {
  try {
    const MetricsFile file(folder_ / "none/metrics.jsonl", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.source(), ErrorSource::kSystem);
    EXPECT_THAT(error.what(), testing::HasSubstr("metrics cannot be written: No such file or directory"));
  }
}

}  // namespace
}  // namespace fermata::cli
