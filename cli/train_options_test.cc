#include "cli/train_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TrainOptions parse(const std::vector<std::string>& args) { return parse_train_options(args).value(); }

std::string refusal(const std::vector<std::string>& args) {
  try {
    static_cast<void>(parse_train_options(args));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TrainOptionsTest, HasDefaults) {
  const TrainOptions options = parse({"m.meta"});
  EXPECT_EQ(options.model, "m.meta");
  EXPECT_EQ(options.log_every, 100);
  EXPECT_EQ(options.keep, 5);
  EXPECT_EQ(options.signature, "train");
  EXPECT_EQ(options.save_every.kind(), Interval::Kind::kSeconds);
  EXPECT_EQ(options.on_nan, OnNan::kShow);
  EXPECT_EQ(options.executor, Executor::kAuto);
  EXPECT_FALSE(options.last_step.has_value());
  EXPECT_TRUE(options.given.empty());
}

TEST(TrainOptionsTest, OptionsMayStandBeforeAndBehindTheModel) {
  const TrainOptions options = parse({"--last-step", "5", "m.meta", "--batch-size=8"});
  EXPECT_EQ(options.model, "m.meta");
  EXPECT_EQ(options.last_step, 5);
  EXPECT_EQ(options.batch_size, 8);
}

TEST(TrainOptionsTest, OfAnOptionGivenTwiceTheLaterCounts) {
  const TrainOptions options =
      parse({"m.meta", "--last-step", "5", "--log", "loss", "--last-step", "7", "--log", "a,b"});
  EXPECT_EQ(options.last_step, 7);
  EXPECT_THAT(options.log, ElementsAre("a", "b"));
}

TEST(TrainOptionsTest, ARepeatableOptionIsReplacedByName) {
  const TrainOptions options =
      parse({"m.meta", "--input", "x=a.npy", "--input", "y=b.npy", "--input", "x=c.npy"});
  ASSERT_EQ(options.inputs.size(), 2U);
  EXPECT_EQ(options.inputs[0].name, "x");
  EXPECT_EQ(options.inputs[0].value, "c.npy");
  EXPECT_EQ(options.inputs[1].name, "y");
}

TEST(TrainOptionsTest, ReadsEachKindOfValue) {
  const TrainOptions options = parse({"m.meta",
                                      "--time-limit",
                                      "2h",
                                      "--on-nan",
                                      "fail",
                                      "--executor",
                                      "single",
                                      "--save-every",
                                      "500",
                                      "--shuffle",
                                      "0",
                                      "--input",
                                      "x=x.npy",
                                      "--drop-remainder",
                                      "--tags",
                                      "a,b",
                                      "--capture-limit",
                                      "2GB",
                                      "--feed",
                                      "rate=[1,2]",
                                      "-v",
                                      "--progress",
                                      "lines",
                                      "--count-steps"});
  EXPECT_EQ(options.time_limit, std::chrono::hours(2));
  EXPECT_EQ(options.on_nan, OnNan::kFail);
  EXPECT_EQ(options.executor, Executor::kSingle);
  EXPECT_EQ(options.save_every.value(), 500);
  EXPECT_EQ(options.capture_limit, 2'000'000'000U);
  EXPECT_EQ(options.shuffle_seed, 0U);
  EXPECT_TRUE(options.drop_remainder);
  EXPECT_THAT(options.tags, ElementsAre("a", "b"));
  EXPECT_EQ(options.feeds.at(0).value, "[1,2]");
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.progress, ProgressStyle::kLines);
  EXPECT_TRUE(options.count_steps);
}

TEST(TrainOptionsTest, KeepsWhatWasTyped) {
  const TrainOptions options =
      parse({"m.meta", "--last-step", "5", "--feed", "a=1", "--feed", "b=2", "--quiet"});
  ASSERT_EQ(options.given.size(), 3U);
  EXPECT_EQ(options.given[0].first, "last-step");
  EXPECT_THAT(options.given[0].second, ElementsAre("5"));
  EXPECT_EQ(options.given[1].first, "feed");
  EXPECT_THAT(options.given[1].second, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(options.given[2].first, "quiet");
  EXPECT_TRUE(options.given[2].second.empty());
}

TEST(TrainOptionsTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(refusal({}), HasSubstr("the model is missing"));
  EXPECT_THAT(refusal({"m.meta", "--last-step", "5", "--num-steps", "5"}), HasSubstr("give one of them"));
  EXPECT_THAT(refusal({"m.meta", "--epochs", "5"}), HasSubstr("give --input"));
  EXPECT_THAT(refusal({"m.meta", "--evaluate-input", "x=x.npy"}), HasSubstr("--evaluate NAME"));
  EXPECT_THAT(refusal({"m.meta", "--summaries", "5"}), HasSubstr("needs --checkpoint-dir"));
}

TEST(TrainOptionsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal({"m.meta", "--lats-step=5"}), "there is no option --lats-step");
  EXPECT_EQ(refusal({"m.meta", "n.meta"}), "one model is taken at a time; what is 'n.meta'?");
  EXPECT_THAT(refusal({"m.meta", "--last-step"}), HasSubstr("--last-step"));
}

TEST(TrainOptionsTest, RefusesNegativeNumbers) {
  EXPECT_THAT(refusal({"m.meta", "--last-step", "-5"}), HasSubstr("found '-5'"));
  EXPECT_THAT(refusal({"m.meta", "--num-steps=-1"}), HasSubstr("found '-1'"));
  EXPECT_THAT(refusal({"m.meta", "--batch-size", "0"}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({"m.meta", "--log-every", "0"}), HasSubstr("at least 1"));
}

}  // namespace
}  // namespace fermata::cli
