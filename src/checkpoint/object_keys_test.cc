#include "checkpoint/object_keys.h"

#include <gtest/gtest.h>

#include "fermata/testkit/log_capture.h"

namespace fermata {
namespace {

using Names = std::vector<std::string>;

BundleReader fixture(const std::string& name) {
  return BundleReader::open(std::string(FERMATA_TEST_FIXTURES) + "/checkpoints/" + name);
}

// Contract SAVER-17.
TEST(ObjectKeysTest, NamesBecomeTheKeysOfTheirObjects) {
  testkit::LogCapture log;
  const BundleReader objects = fixture("objects/model.ckpt-8");
  EXPECT_EQ(keys_of_names(objects, {"w", "global_step"}),
            (Names{"weight/.ATTRIBUTES/VARIABLE_VALUE", "at/.ATTRIBUTES/VARIABLE_VALUE"}));
  EXPECT_EQ(log.lines(), Names{"WARNING the checkpoint '" + objects.prefix() +
                               "' is one of objects: 2 of its values are taken by the names that their "
                               "variables had when it was written"});
}

TEST(ObjectKeysTest, WhatIsThereOrNowhereStaysAsItIs) {
  testkit::LogCapture log;
  const Names names = {"weight/.ATTRIBUTES/VARIABLE_VALUE", "bias"};
  EXPECT_EQ(keys_of_names(fixture("objects/model.ckpt-8"), names), names);
  EXPECT_EQ(keys_of_names(fixture("counter/model.ckpt-6"), {"w", "bias"}), (Names{"w", "bias"}));
  EXPECT_TRUE(log.lines().empty());
}

}  // namespace
}  // namespace fermata
