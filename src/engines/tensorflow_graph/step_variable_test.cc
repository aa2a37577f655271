// A step for a TensorFlow graph that came without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/global_step.h"

namespace fermata::tensorflow {
namespace {

// Contract GS-7, GS-10.
TEST(StepVariableTest, IsMadeInitialisedSavedAndListed) {
  Model model = open(fixture("no_global_step.meta"));
  ASSERT_FALSE(get_global_step(model));
  const VariableInfo made = create_global_step(model);
  EXPECT_EQ(made.name, "global_step");
  EXPECT_EQ(made.spec.dtype, DType::kInt64);
  const Operation init = model.default_init_op();
  const SaverDef saver = model.default_saver().value();
  const std::unique_ptr<Session> session = model.create_session({});
  static_cast<void>(session->run(init));
  EXPECT_EQ(global_step(*session), 0);
  Model reopened = open_meta_graph(model.meta_graph_def());
  EXPECT_EQ(get_global_step(reopened)->name, "global_step");
  EXPECT_THAT(reopened.collection(collections::kGlobalStep), testing::ElementsAre("global_step:0"));
}

TEST(StepVariableTest, AGraphThatHasOneKeepsIt) {
  Model model = open(fixture("counter.meta"));
  EXPECT_EQ(get_or_create_global_step(model).name, model.global_step_name());
  EXPECT_THROW(create_global_step(model), Error);
}

}  // namespace
}  // namespace fermata::tensorflow
