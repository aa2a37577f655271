#include "event_log/summary_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fermata/error.h"
#include "wire/event_proto.h"
#include "wire/summary_proto.h"
#include "wire/tensor_proto.h"

namespace fermata {
namespace {

using Kind = wire::SummaryValue::Kind;

wire::SummaryValue only_value(const std::string& summary) {
  const auto values = wire::decode_summary(summary);
  EXPECT_TRUE(values);
  EXPECT_EQ(values->size(), 1U);
  return values->at(0);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SummaryValuesTest, AHistogramKnowsItsValues) {
  const auto value = only_value(histogram_of("h", Tensor::of<std::int32_t>({4}, {-3, 0, 0, 5}).view()));
  EXPECT_EQ(value.tag, "h");
  EXPECT_EQ(value.kind, Kind::kHistogram);
  EXPECT_EQ(wire::histogram_words(value.data), "4 values from -3 to 5");
}

TEST(SummaryValuesTest, AHistogramLeavesOutWhatIsNotFinite) {
  const auto value = only_value(histogram_of("h", Tensor::of<float>({3}, {NAN, INFINITY, 1}).view()));
  EXPECT_EQ(wire::histogram_words(value.data), "1 values from 1 to 1");
  const auto none = only_value(histogram_of("h", Tensor::of<float>({0}, {}).view()));
  EXPECT_EQ(wire::histogram_words(none.data), "0 values from 0 to 0");
}

TEST(SummaryValuesTest, AHistogramIsShort) {
  EXPECT_LT(histogram_of("h", Tensor::of<double>({2}, {1e-300, 1e300}).view()).size(), 200U);
}

TEST(SummaryValuesTest, AnImageIsAPng) {
  const auto value =
      only_value(image_of("i", Tensor::of<std::uint8_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6}).view()));
  EXPECT_EQ(value.kind, Kind::kImage);
  EXPECT_EQ(wire::image_words(value.data), "2 x 1 pixels");
  EXPECT_NE(value.data.find("\x89PNG"), std::string::npos);
}

TEST(SummaryValuesTest, WhatIsNoImageIsRefused) {
  EXPECT_EQ(refusal([] {
              (void)image_of("i", Tensor::of<float>({1, 1, 3}, {1, 2, 3}).view());
            }),
            "EventWriter::add_image 'i': uint8 [height,width,1, 3 or 4] was expected, found float32 [1,1,3]");
  EXPECT_NE(refusal([] { (void)image_of("i", Tensor::of<std::uint8_t>({1, 1, 2}, {1, 2}).view()); }), "");
  EXPECT_NE(refusal([] { (void)histogram_of("h", Tensor::string_scalar("x").view()); }), "");
}

TEST(SummaryValuesTest, ATextIsForTheTextPlugin) {
  const auto value = only_value(text_of("t", "words"));
  EXPECT_EQ(value.plugin_name, "text");
  EXPECT_EQ(wire::glance_at_tensor(value.data)->strings, std::vector<std::string>{"words"});
}

TEST(SummaryValuesTest, TensorsAreKeptAsTheyAre) {
  const auto numbers =
      wire::glance_at_tensor(only_value(tensor_of("x", Tensor::of<double>({2}, {7, 8}).view())).data);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->first_number, 7.0);
  EXPECT_EQ(numbers->shape, std::vector<std::int64_t>{2});
  const auto texts =
      wire::glance_at_tensor(only_value(tensor_of("x", Tensor::strings({2}, {"a", "b"}).view())).data);
  EXPECT_EQ(texts->strings, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace fermata
