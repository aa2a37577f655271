#include "cli/row_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/npy_testing.h"
#include "cli/usage_error.h"
#include "fermata/native.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::HasSubstr;

class RowInputTest : public testing::Test {
 protected:
  RowInputTest() {
    graph_.placeholder<float>("rows", Shape{-1, 2});
    graph_.placeholder<float>("four_rows", Shape{4, 2});
    graph_.placeholder<float>("anything", std::nullopt);
    graph_.placeholder<float>("rate");
  }

  // A request that reads a file of this shape into `name`.
  InputRequest request(const std::string& name, const std::string& shape, std::size_t size) {
    InputRequest request;
    request.input_option = "--input";
    request.feed_option = "--feed";
    const std::string path = write_npy(folder_ / (name + ".npy"), shape, std::vector<float>(size));
    request.files = open_files({{name, path}});
    return request;
  }

  BoundInput bind(const InputRequest& request) {
    return bind_input(request, graph_, [this](const std::string& name) { return graph_.tensor(name); });
  }

  // What is said, without the folder.
  std::string refusal(const InputRequest& request) {
    try {
      static_cast<void>(bind(request));
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::size_t at = text.find(folder_.path());
      return at == std::string::npos ? text
                                     : text.substr(0, at) + text.substr(at + folder_.path().size() + 1);
    }
    return "accepted";
  }

  TempFolder folder_;
  native::Graph graph_;
};

TEST_F(RowInputTest, BindsFilesAndValues) {
  InputRequest request = this->request("rows", "40, 2", 80);
  request.feeds = {{"rate", "0.5"}};
  const BoundInput bound = bind(request);
  EXPECT_EQ(bound.data->options().batch_size, 32);
  EXPECT_EQ(bound.tensors.at(0), graph_.tensor("rows"));
  EXPECT_EQ(bound.feeds.at(0).second.view().scalar<float>(), 0.5F);
}

TEST_F(RowInputTest, ChoosesABatchSizeThatFits) {
  EXPECT_EQ(bind(request("rows", "5, 2", 10)).data->options().batch_size, 5);
  EXPECT_EQ(bind(request("four_rows", "8, 2", 16)).data->options().batch_size, 4);
  EXPECT_EQ(bind(request("anything", "8, 3", 24)).data->options().batch_size, 8);
}

TEST_F(RowInputTest, RefusesOtherShapes) {
  EXPECT_EQ(
      refusal(request("rows", "5", 5)),
      "rows.npy: the array has 1 dimensions, [5], and 'rows' takes float32 [?,2] with 2; save it reshaped");
  EXPECT_EQ(refusal(request("rows", "5, 3", 15)),
            "rows.npy: a row has the shape [3], and 'rows' takes rows of [2]; save it reshaped");
  EXPECT_EQ(refusal(request("rate", "5", 5)),
            "rate.npy: 'rate' takes a single value, float32 [], and no rows; give --feed rate=VALUE");
}

TEST_F(RowInputTest, RefusesAnotherType) {
  InputRequest request;
  request.input_option = "--input";
  request.files = open_files({{"rows", write_npy(folder_ / "x.npy", "2, 2", std::vector<std::int32_t>(4))}});
  EXPECT_EQ(refusal(request),
            "x.npy: the elements are int32, and 'rows' takes float32 [?,2]; save a.astype('float32')");
}

TEST_F(RowInputTest, ABatchThatTheGraphFixesMustBeKept) {
  InputRequest request = this->request("four_rows", "10, 2", 20);
  EXPECT_THAT(refusal(request), HasSubstr("10 rows leave 2 over in batches of 4"));
  request.remainder = Remainder::kDrop;
  EXPECT_EQ(bind(request).data->options().batch_size, 4);
  EXPECT_TRUE(bind(request).data->options().drop_remainder);
  request.batch_size = 5;
  EXPECT_THAT(refusal(request), HasSubstr("give --batch-size 4"));
}

TEST_F(RowInputTest, RowsAreDroppedOnlyWhereNeeded) {
  InputRequest fixed = request("four_rows", "10, 2", 20);
  fixed.remainder = Remainder::kDropWhereNeeded;
  EXPECT_TRUE(bind(fixed).data->options().drop_remainder);
  InputRequest free = request("rows", "10, 2", 20);
  free.remainder = Remainder::kDropWhereNeeded;
  EXPECT_FALSE(bind(free).data->options().drop_remainder);
}

TEST_F(RowInputTest, RefusesATensorThatIsFedTwice) {
  InputRequest request = this->request("rows", "5, 2", 10);
  request.feeds = {{"rows:0", "[[1,2]]"}};
  EXPECT_EQ(refusal(request),
            "--input rows and --feed rows:0 feed the same tensor, rows:0; give one of them");
}

TEST_F(RowInputTest, RefusesABatchLargerThanTheData) {
  InputRequest request = this->request("rows", "5, 2", 10);
  request.batch_size = 6;
  EXPECT_EQ(
      refusal(request),
      "a batch of 6 rows does not fit into the 5 rows of rows.npy; give a smaller --batch-size or more rows");
}

}  // namespace
}  // namespace fermata::cli
