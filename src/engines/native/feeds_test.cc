#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NativeFeedTest : public testing::Test {
 protected:
  std::vector<Tensor> run_fed(std::vector<Fetch> fetches, const Output& fed, Tensor tensor) {
    SessionRunArgs args(std::move(fetches));
    args.feed(fed, std::move(tensor));
    return session().run(args);
  }
  float scalar(const Fetch& fetch, const Output& fed, float number) {
    return run_fed({fetch}, fed, Tensor::scalar(number))[0].view().scalar<float>();
  }
  Session& session() {
    if (!session_) {
      session_ = ready_session(graph);
    }
    return *session_;
  }

  Graph graph;
  float w = 1;
  int calls = 0;
  Output x = graph.placeholder<float>("x");
  Output variable = graph.variable("w", view(w));
  Output value = graph.value("value", {x}, [this](Inputs in) {
    ++calls;
    return in.scalar<float>(0) + 1;
  });
  Output twice = graph.value("twice", {value}, [](Inputs in) { return 2 * in.scalar<float>(0); });
  Operation train = graph.step("train", {.outputs = {"loss"}}, [this](StepOutputs& out) {
    ++calls;
    out.set("loss", 9.0F);
  });

 private:
  std::unique_ptr<Session> session_;
};

TEST_F(NativeFeedTest, APlaceholderTakesItsValue) { EXPECT_EQ(scalar(twice, x, 2.0F), 6.0F); }

TEST_F(NativeFeedTest, APlaceholderThatIsNeededMustBeFed) {
  EXPECT_THAT(
      error_of([&] { run(session(), twice); }),
      HasSubstr("INVALID_ARGUMENT: the run needs the placeholder 'x', which is not fed; feed it float32[]"));
  EXPECT_EQ(calls, 0);
  EXPECT_NO_THROW(run(session(), train));
}

TEST_F(NativeFeedTest, TheErrorOfAnUnfedPlaceholderIsTheEngines) {
  try {
    run(session(), x);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.source(), ErrorSource::kEngine);
  }
}

TEST_F(NativeFeedTest, APlaceholderWithADefaultNeedNotBeFed) {
  const Output rate = graph.placeholder_with_default("rate", Tensor::scalar(0.5F));
  EXPECT_EQ(session().run(rate).view().scalar<float>(), 0.5F);
  EXPECT_EQ(scalar(rate, rate, 0.25F), 0.25F);
}

TEST_F(NativeFeedTest, WhatIsFedIsNotComputed) {
  EXPECT_EQ(scalar(twice, value, 10.0F), 20.0F);
  EXPECT_EQ(calls, 0);
}

TEST_F(NativeFeedTest, WhatIsFedAndFetchedIsTheFedValue) {
  EXPECT_EQ(scalar(value, value, 10.0F), 10.0F);
  EXPECT_EQ(scalar(x, x, 3.0F), 3.0F);
  EXPECT_EQ(scalar(variable, variable, 4.0F), 4.0F);
  EXPECT_EQ(w, 1.0F);
}

TEST_F(NativeFeedTest, AFedOutputOfAStepDoesNotRunIt) {
  EXPECT_EQ(scalar(train.output("loss"), train.output("loss"), 3.0F), 3.0F);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(run_fed({train, train.output("loss")}, train.output("loss"), Tensor::scalar(3.0F))[1]
                .view()
                .scalar<float>(),
            3.0F);
  EXPECT_EQ(calls, 1);
}

TEST_F(NativeFeedTest, AVariableThatIsFedIsTheFedValueForCallables) {
  const Output from_w = graph.value("from_w", {variable}, [](Inputs in) { return in.scalar<float>(0); });
  EXPECT_EQ(scalar(from_w, variable, 4.0F), 4.0F);
}

TEST_F(NativeFeedTest, AFedStepDoesNotChangeTheStepOfTheRun) {
  PlanRequest request{.fetches = {graph.global_step()}, .targets = {train}, .feeds = {graph.global_step()}};
  request.read_step = true;
  const auto plan = session().prepare(request);
  const auto outputs = plan->make_outputs();
  const Tensor fed = Tensor::scalar<Step>(50);
  const Tensor* feeds[] = {&fed};
  plan->run(feeds, nullptr, *outputs, nullptr);
  EXPECT_EQ(outputs->values[0].scalar<Step>(), 50);
  EXPECT_EQ(outputs->step, 1);
}

TEST_F(NativeFeedTest, TypeAndShapeAreChecked) {
  EXPECT_THAT(error_of([&] { run_fed({twice}, x, Tensor::scalar(1)); }),
              HasSubstr("INVALID_ARGUMENT: the feed of 'x:0' must be float32[], but it is int32[]"));
  EXPECT_THAT(error_of([&] { run_fed({twice}, x, Tensor::of<float>({1}, {1})); }), HasSubstr("float32[1]"));
  EXPECT_THAT(error_of([&] { run_fed({twice}, x, Tensor()); }), HasSubstr("but it is no value"));
}

TEST_F(NativeFeedTest, UnknownSizesTakeAny) {
  const Output rows = graph.placeholder<float>("rows", Shape{-1, 2});
  const Output any = graph.placeholder<float>("any", std::nullopt);
  EXPECT_NO_THROW(run_fed({rows}, rows, Tensor::of<float>({1, 2}, {1, 2})));
  EXPECT_NO_THROW(run_fed({any}, any, Tensor::of<float>({1, 2}, {1, 2})));
  EXPECT_THAT(error_of([&] {
                run_fed({rows}, rows, Tensor::of<float>({2, 1}, {1, 2}));
              }),
              HasSubstr("[?,2]"));
}

TEST_F(NativeFeedTest, OneTensorIsFedOnce) {
  EXPECT_THAT(error_of([&] {
                (void)session().prepare({.feeds = {x, x}});
              }),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("x:0")));
}

TEST_F(NativeFeedTest, TheNumberOfFeedsIsChecked) {
  const auto plan = session().prepare({.fetches = {x}, .feeds = {x}});
  const auto outputs = plan->make_outputs();
  EXPECT_THAT(error_of([&] { plan->run({}, nullptr, *outputs, nullptr); }), HasSubstr("takes 1 feeds"));
}

}  // namespace
}  // namespace fermata::native
