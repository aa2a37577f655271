// Savers for some variables, under names of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "checkpoint/bundle_reader.h"
#include "engines/native/native_testing.h"
#include "fermata/saver.h"
#include "tests/support/temp_folder.h"

namespace fermata::native {
namespace {

using testing::HasSubstr;

class NativeSaverNamesTest : public testing::Test {
 protected:
  NativeSaverNamesTest() {
    graph_.variable("w", view(w_));
    graph_.variable("v", view(v_));
    graph_.local_variable("local", view(local_));
    session_ = ready_session(graph_);
  }

  std::string refused(const std::map<std::string, std::string>& names, Code code) {
    try {
      static_cast<void>(graph_.add_saver(names));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "nothing";
  }

  static Code code_of_call(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return Code::kOk;
  }

  float w_ = 1;
  float v_ = 2;
  float local_ = 3;
  Graph graph_;
  std::unique_ptr<Session> session_;
  TempFolder folder_;
};

TEST_F(NativeSaverNamesTest, TheCheckpointHasTheOtherNames) {
  Saver saver(graph_.add_saver({{"p/w", "w"}, {"p/v", "v"}}));
  const std::string prefix = saver.save(*session_, folder_ / "m", 4);
  const BundleReader bundle = BundleReader::open(prefix);
  EXPECT_NE(bundle.find("p/w"), nullptr);
  EXPECT_NE(bundle.find("p/v"), nullptr);
  EXPECT_EQ(bundle.find("w"), nullptr);
  w_ = v_ = 9;
  saver.restore(*session_, prefix);
  EXPECT_EQ(w_, 1.0F);
  EXPECT_EQ(v_, 2.0F);
}

TEST_F(NativeSaverNamesTest, ASaverWithTheUsualNamesDoesNotFindThem) {
  Saver renamed(graph_.add_saver({{"p/w", "w"}}));
  const std::string prefix = renamed.save(*session_, folder_ / "m", 4);
  Saver usual(graph_.add_saver({{"w", "w"}}));
  try {
    usual.restore(*session_, prefix);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_THAT(error.what(), HasSubstr("'w' is not in the checkpoint"));
  }
}

TEST_F(NativeSaverNamesTest, OtherVariablesAreLeftAlone) {
  Saver saver(graph_.add_saver({{"w", "w"}}));
  const std::string prefix = saver.save(*session_, folder_ / "m", 4);
  w_ = v_ = 9;
  saver.restore(*session_, prefix);
  EXPECT_EQ(w_, 1.0F);
  EXPECT_EQ(v_, 9.0F);
}

TEST_F(NativeSaverNamesTest, AWarmStartTakesThemToo) {
  const SaverDef def = graph_.add_saver({{"p/w", "w"}, {"p/v", "v"}});
  Saver first(graph_.add_saver({{"p/w", "w"}}));
  const std::string prefix = first.save(*session_, folder_ / "m", 4);
  w_ = 9;
  EXPECT_THAT(session_->restore_available(def, prefix), testing::ElementsAre("p/v"));
  EXPECT_EQ(w_, 1.0F);
}

TEST_F(NativeSaverNamesTest, WrongNamesAreRefused) {
  EXPECT_EQ(refused({{"a", "w"}, {"b", "w"}}, Code::kInvalidArgument),
            "the saver has the variable 'w' under two names, 'a' and 'b'; give it one");
  EXPECT_THAT(refused({{"a", "ww"}}, Code::kNotFound), HasSubstr("'ww', which is no saved variable"));
  EXPECT_THAT(refused({{"a", "local"}}, Code::kNotFound), HasSubstr("'local'"));
  EXPECT_THAT(refused({}, Code::kInvalidArgument), HasSubstr("no variable was named"));
}

TEST_F(NativeSaverNamesTest, ASaverOverTheGraphSavesAllOrWhatItsListNames) {
  Saver all(graph_, {.max_to_keep = 2});
  EXPECT_EQ(all.def().max_to_keep, 2);
  const BundleReader both = BundleReader::open(all.save(*session_, folder_ / "all", 1));
  EXPECT_NE(both.find("w"), nullptr);
  EXPECT_NE(both.find("v"), nullptr);
  Saver some(graph_, {.var_list = {{{"p/w", "w"}}}});
  const BundleReader one = BundleReader::open(some.save(*session_, folder_ / "some", 1));
  EXPECT_NE(one.find("p/w"), nullptr);
  EXPECT_EQ(one.find("v"), nullptr);
  EXPECT_THROW(Saver(graph_, {.var_list = {{{"a", "w"}, {"b", "w"}}}}), Error);
  EXPECT_THROW(Saver(graph_, {.var_list = {{{"a", "none"}}}}), Error);
}

// A checkpoint of a row is restored into a column.
class NativeReshapeTest : public NativeSaverNamesTest {
 protected:
  NativeReshapeTest() {
    other_.variable("w", view(w_));
    other_.variable("row", view(row_, {1, 3}));
    other_session_ = ready_session(other_);
    prefix_ = Saver(other_, {}).save(*other_session_, folder_ / "row", 1);
    column_graph_.variable("w", view(w_));
    column_graph_.variable("row", view(column_, {3, 1}));
    column_session_ = ready_session(column_graph_);
  }

  std::vector<float> row_ = {1, 2, 3};
  std::vector<float> column_ = {0, 0, 0};
  Graph other_;
  std::unique_ptr<Session> other_session_;
  std::string prefix_;
  Graph column_graph_;
  std::unique_ptr<Session> column_session_;
};

TEST_F(NativeReshapeTest, OnlyASaverThatReshapesTakesAnotherShape) {
  Saver strict(column_graph_, {});
  EXPECT_EQ(code_of_call([&] { strict.restore(*column_session_, prefix_); }), Code::kInvalidArgument);
  EXPECT_EQ(column_, (std::vector<float>{0, 0, 0}));
  w_ = 9;
  Saver reshaping(column_graph_, {.reshape = true});
  reshaping.restore(*column_session_, prefix_);
  EXPECT_EQ(column_, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(w_, 1.0F);
  EXPECT_EQ(column_session_->restored_from(), prefix_);
  // The copy is gone.
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();
  }
}

TEST_F(NativeReshapeTest, TheNumberOfElementsMustBeTheSame) {
  std::vector<float> longer(4);
  Graph graph;
  graph.variable("w", view(w_));
  graph.variable("row", view(longer, {4}));
  const auto session = ready_session(graph);
  Saver saver(graph, {.reshape = true});
  EXPECT_EQ(code_of_call([&] { saver.restore(*session, prefix_); }), Code::kInvalidArgument);
}

TEST_F(NativeReshapeTest, ItFollowsOtherNames) {
  Saver saver(column_graph_, {.reshape = true, .var_list = {{{"row", "row"}}}});
  saver.restore(*column_session_, prefix_);
  EXPECT_EQ(column_, (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace fermata::native
