#include "cli/event_ranges.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fermata::cli {
namespace {

LoggedEvent scalar(Step step, double value) {
  LoggedEvent event;
  event.step = step;
  event.kind = LoggedEvent::Kind::kSummary;
  event.values.push_back({"loss", EventValue::Kind::kScalar, value, "", "", 4});
  return event;
}

TEST(EventRangesTest, KnowsCountStepsAndValues) {
  EventRanges ranges;
  ranges.add(scalar(5, 2));
  ranges.add(scalar(10, -1));
  ranges.add(scalar(15, NAN));
  const EventRange& loss = ranges.all().at("loss");
  EXPECT_EQ(loss.count, 3U);
  EXPECT_EQ(loss.first_step, 5);
  EXPECT_EQ(loss.last_step, 15);
  EXPECT_EQ(loss.min, -1);
  EXPECT_EQ(loss.max, 2);
  EXPECT_TRUE(std::isnan(*loss.last));
}

TEST(EventRangesTest, OtherKindsHaveNoValues) {
  EventRanges ranges;
  LoggedEvent event;
  event.values.push_back({"image", EventValue::Kind::kImage, std::nullopt, "", "", 100});
  ranges.add(event);
  EXPECT_FALSE(ranges.all().at("image").min);
}

}  // namespace
}  // namespace fermata::cli
