#include "cli/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

template <typename Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseTest, ReadsWholeNumbers) {
  EXPECT_EQ(parse_integer("--keep", "0", 0), 0);
  EXPECT_EQ(parse_integer("--last-step", "9223372036854775807", 0), INT64_MAX);
}

TEST(ParseTest, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"", "5x", "1.5", "-1", " 5", "9223372036854775808", "+5"}) {
    EXPECT_NE(refusal([&] { static_cast<void>(parse_integer("--keep", text, 0)); }), "accepted") << text;
  }
  EXPECT_EQ(refusal([] { static_cast<void>(parse_integer("--last-step", "-5", 0)); }),
            "--last-step: expected a whole number of at least 0, found '-5'");
}

TEST(ParseTest, ReadsWhichCheckpointsAreTheBest) {
  const BestChoice lowest = parse_best("--keep-best", "3:loss");
  EXPECT_EQ(lowest.count, 3);
  EXPECT_EQ(lowest.name, "loss");
  EXPECT_EQ(lowest.best, BestValue::kLowest);
  EXPECT_EQ(parse_best("--keep-best", "1:tower/loss:0:min").name, "tower/loss:0");
  const BestChoice highest = parse_best("--keep-best", "1:accuracy:0:max");
  EXPECT_EQ(highest.name, "accuracy:0");
  EXPECT_EQ(highest.best, BestValue::kHighest);
  for (const char* text : {"", "3", "3:", "loss", "0:loss", "-1:loss", ":loss", "3x:loss", "3::max"}) {
    EXPECT_EQ(
        refusal([&] { static_cast<void>(parse_best("--keep-best", text)); }),
        std::string("--keep-best: expected N:NAME, N:NAME:min or N:NAME:max with N of at least 1, found '") +
            text + "'");
  }
}

TEST(ParseTest, ASeedUsesAllBits) { EXPECT_EQ(parse_seed("--shuffle", "18446744073709551615"), UINT64_MAX); }

TEST(ParseTest, ReadsDurations) {
  EXPECT_EQ(parse_duration("--time-limit", "90s"), seconds(90));
  EXPECT_EQ(parse_duration("--time-limit", "2h"), hours(2));
  EXPECT_EQ(parse_duration("--time-limit", "1h30m"), minutes(90));
  EXPECT_EQ(parse_duration("--time-limit", "1.5h"), minutes(90));
  EXPECT_EQ(parse_duration("--time-limit", "10min"), minutes(10));
  EXPECT_EQ(parse_duration("--time-limit", "250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("--time-limit", "1d"), hours(24));
}

TEST(ParseTest, ReadsSizes) {
  EXPECT_EQ(parse_size("--capture-limit", "500MB"), 500'000'000U);
  EXPECT_EQ(parse_size("--capture-limit", "1.5GB"), 1'500'000'000U);
  EXPECT_EQ(parse_size("--capture-limit", "64KB"), 64'000U);
  EXPECT_EQ(parse_size("--capture-limit", "2TB"), 2'000'000'000'000U);
  EXPECT_EQ(parse_size("--capture-limit", "0B"), 0U);
}

TEST(ParseTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "5", "MB", "5 MB", "-5MB", "5mb", "1GB5MB", "nanB", "1e9GB", "9999999TB"}) {
    EXPECT_EQ(refusal([&] { static_cast<void>(parse_size("--capture-limit", text)); }),
              "--capture-limit: expected a size such as 500MB or 1.5GB, found '" + std::string(text) + "'");
  }
}

TEST(ParseTest, RefusesWhatIsNoDuration) {
  for (const char* text :
       {"", "5", "h", "5 s", "-5s", "0s", "5x", "1h30", "nans", "infs", "1e9d", "9999999d"}) {
    EXPECT_NE(refusal([&] { static_cast<void>(parse_duration("--time-limit", text)); }), "accepted") << text;
  }
  EXPECT_EQ(refusal([] { static_cast<void>(parse_duration("--time-limit", "soon")); }),
            "--time-limit: expected a time such as 90s, 30m, 2h or 1h30m, found 'soon'");
}

TEST(ParseTest, AnIntervalIsStepsOrTime) {
  const Interval steps = parse_interval("--save-every", "500");
  EXPECT_EQ(steps.kind(), Interval::Kind::kSteps);
  EXPECT_EQ(steps.value(), 500);
  const Interval time = parse_interval("--save-every", "1m");
  EXPECT_EQ(time.kind(), Interval::Kind::kSeconds);
  EXPECT_EQ(time.value(), 60);
}

TEST(ParseTest, RefusesAnIntervalOfNothing) {
  for (const char* text : {"", "0", "-500", "0s", "often"}) {
    EXPECT_NE(refusal([&] { static_cast<void>(parse_interval("--save-every", text)); }), "accepted") << text;
  }
}

TEST(ParseTest, SplitsNames) {
  EXPECT_THAT(parse_names("--log", "loss,scope/accuracy:0"), ElementsAre("loss", "scope/accuracy:0"));
  EXPECT_NE(refusal([] { static_cast<void>(parse_names("--log", "loss,")); }), "accepted");
  EXPECT_NE(refusal([] { static_cast<void>(parse_names("--log", "")); }), "accepted");
}

TEST(ParseTest, CutsAnAssignmentAtTheFirstEqualsSign) {
  const auto [name, value] = parse_assignment("--feed", "text=a=b");
  EXPECT_EQ(name, "text");
  EXPECT_EQ(value, "a=b");
  EXPECT_NE(refusal([] { static_cast<void>(parse_assignment("--feed", "text")); }), "accepted");
  EXPECT_NE(refusal([] { static_cast<void>(parse_assignment("--feed", "=5")); }), "accepted");
}

TEST(ParseTest, AChoiceNamesTheOthers) {
  EXPECT_EQ(parse_choice("--executor", "pool", {"auto", "pool"}), 1U);
  EXPECT_EQ(refusal([] {
              static_cast<void>(parse_choice("--executor", "gpu", {"auto", "pool"}));
            }),
            "--executor: expected auto, pool, found 'gpu'");
}

}  // namespace
}  // namespace fermata::cli
