#include "cli/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/evaluation_hook.h"
#include "cli/npy_testing.h"
#include "fermata/error.h"
#include "fermata/native.h"
#include "fermata/testkit/hook_driver.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;
using testing::Pair;

// A graph that gives the mean of `x` plus `offset`, and counts its runs.
class EvaluationTest : public testing::Test {
 protected:
  Evaluation evaluation(std::int32_t rows, std::int64_t batch_size) {
    Dataset data({NpyFile(write_numbers(folder_ / "x.npy", rows))}, {.batch_size = batch_size, .epochs = 1});
    return Evaluation({.values = {{"mean", mean_}},
                       .data = std::move(data),
                       .inputs = {x_},
                       .feeds = {{offset_, Tensor::scalar(100.0)}}});
  }

  double mean_of(native::Inputs in) {
    ++runs_;
    double sum = 0;
    for (std::int64_t i = 0; i < in[0].size(); ++i) {
      sum += in[0].as_double(i);
    }
    return sum / static_cast<double>(in[0].size()) + in.scalar<double>(1);
  }

  TempFolder folder_;
  int runs_ = 0;
  native::Graph graph_;
  Output x_ = graph_.placeholder<std::int32_t>("x", Shape{-1});
  Output offset_ = graph_.placeholder<double>("offset");
  Output mean_ = graph_.value("mean", {x_, offset_}, [this](native::Inputs in) { return mean_of(in); });
  std::unique_ptr<Session> session_ = graph_.create_session({});

  void start_at(Step step) {
    static_cast<void>(session_->run(graph_.default_init_op()));
    graph_.set_global_step(step);
  }
};

TEST_F(EvaluationTest, BatchesCountByTheirRows) {
  Evaluation three = evaluation(4, 3);
  EXPECT_THAT(three.run(*session_), testing::Optional(ElementsAre(Pair("mean", 101.5))));
  EXPECT_EQ(runs_, 2);
}

TEST_F(EvaluationTest, EachTimeGoesThroughAllRows) {
  Evaluation evaluation = this->evaluation(4, 2);
  static_cast<void>(evaluation.run(*session_));
  EXPECT_THAT(evaluation.run(*session_), testing::Optional(ElementsAre(Pair("mean", 101.5))));
  EXPECT_EQ(runs_, 4);
}

TEST_F(EvaluationTest, WithoutRowsItIsOneRun) {
  Evaluation evaluation({.values = {{"two", graph_.constant("two", 2.0)}}});
  EXPECT_THAT(evaluation.run(*session_), testing::Optional(ElementsAre(Pair("two", 2.0))));
}

TEST_F(EvaluationTest, RefusesValuesThatAreNotOneNumber) {
  Evaluation evaluation({.values = {{"list", graph_.constant("list", Tensor::of<float>({2}, {1, 2}))}}});
  EXPECT_THROW(static_cast<void>(evaluation.run(*session_)), Error);
}

TEST_F(EvaluationTest, TheHookEvaluatesAtMultiplesAndOnceAtTheEnd) {
  std::vector<Step> steps;
  EvaluationHook hook({.evaluation = evaluation(4, 4),
                       .every = 2,
                       .show_to = [&](Step step, const EvaluationResult&) { steps.push_back(step); }});
  testkit::HookDriver driver(hook, session_.get());
  for (Step step = 0; step < 5; ++step) {
    driver.run(step, step + 1);
  }
  start_at(5);
  hook.end(*session_);
  EXPECT_THAT(steps, ElementsAre(2, 4, 5));
}

TEST_F(EvaluationTest, TheEndIsNotEvaluatedTwice) {
  std::vector<Step> steps;
  EvaluationHook hook({.evaluation = evaluation(4, 4),
                       .every = 2,
                       .show_to = [&](Step step, const EvaluationResult&) { steps.push_back(step); }});
  testkit::HookDriver(hook, session_.get()).run(1, 2);
  start_at(2);
  hook.end(*session_);
  EXPECT_THAT(steps, ElementsAre(2));
  EXPECT_TRUE(hook.last_result().has_value());
}

}  // namespace
}  // namespace fermata::cli
