// Savers for some variables, under names of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fermata::native
