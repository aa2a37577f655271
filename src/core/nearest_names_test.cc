#include "core/nearest_names.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

TEST(NearestNamesTest, TheMostSimilarComesFirst) {
  EXPECT_EQ(nearest_names("los:0", {"accuracy:0", "loss_1:0", "loss:0"}),
            (std::vector<std::string>{"loss:0", "loss_1:0"}));
}

TEST(NearestNamesTest, WhatSharesNothingIsLeftOut) {
  EXPECT_TRUE(nearest_names("zzz", {"accuracy", "loss"}).empty());
  EXPECT_EQ(did_you_mean("zzz", {"accuracy"}), "");
}

TEST(NearestNamesTest, ALongerNameThatContainsTheWantedOneIsNear) {
  EXPECT_EQ(did_you_mean("loss:0", {"model/head/loss:0", "step:0"}), "; did you mean 'model/head/loss:0'?");
}

}  // namespace
}  // namespace fermata
