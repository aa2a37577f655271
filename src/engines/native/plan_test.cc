#include "engines/native/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/native/native_testing.h"

namespace fermata::native {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NativePlanTest : public testing::Test {
 protected:
  // An operation, value or step that writes down its name.
  Callable noted(std::string name) {
    return [this, name = std::move(name)](StepOutputs&) { calls.push_back(name); };
  }
  Output noted_value(const std::string& name, std::vector<Output> inputs = {}) {
    return graph.value(name, std::move(inputs), [this, name](Inputs) {
      calls.push_back(name);
      return 1.0F;
    });
  }
  Session& session() {
    if (!session_) {
      session_ = ready_session(graph);
      calls.clear();
    }
    return *session_;
  }

  Graph graph;
  std::vector<std::string> calls;

 private:
  std::unique_ptr<Session> session_;
};

TEST_F(NativePlanTest, StepsComeAfterValuesAndOperationsInTheOrderOfAdding) {
  const Operation second = graph.step("second", {}, noted("second"));
  const Output value = noted_value("value");
  const Operation third = graph.step("third", {}, noted("third"));
  const Operation op = graph.operation("op", {}, noted("op"));
  run(session(), SessionRunArgs({third, second, op, value}));
  EXPECT_THAT(calls, ElementsAre("value", "op", "second", "third"));
}

TEST_F(NativePlanTest, CallsOnlyWhatIsNeeded) {
  const Output a = noted_value("a");
  const Output b = noted_value("b", {a});
  noted_value("c", {a});
  run(session(), b);
  EXPECT_THAT(calls, ElementsAre("a", "b"));
}

TEST_F(NativePlanTest, CallsWhatSeveralNeedOnce) {
  const Output a = noted_value("a");
  const Output b = noted_value("b", {a, a});
  run(session(), SessionRunArgs({b, noted_value("c", {b, a}), a}));
  EXPECT_THAT(calls, ElementsAre("a", "b", "c"));
}

TEST_F(NativePlanTest, WhatNeedsAStepsOutputComesAfterIt) {
  const Operation train = graph.step("train", {.outputs = {"loss"}}, [&](StepOutputs& out) {
    calls.emplace_back("train");
    out.set("loss", 2.0F);
  });
  const Output twice =
      graph.value("twice", {train.output("loss")}, [](Inputs in) { return 2 * in.scalar<float>(0); });
  noted_value("other");
  const std::vector<Tensor> results = session().run(SessionRunArgs({twice, "other:0"}));
  EXPECT_EQ(results[0].view().scalar<float>(), 4.0F);
  EXPECT_THAT(calls, ElementsAre("other", "train"));
}

TEST_F(NativePlanTest, AfterOrdersOperationsAndNeedsThem) {
  const Operation first = graph.operation("first", {}, noted("first"));
  const Operation train = graph.step("train", {}, noted("train"));
  const Operation last = graph.operation("last", {.after = {train, first}}, noted("last"));
  run(session(), last);
  EXPECT_THAT(calls, ElementsAre("first", "train", "last"));
}

TEST_F(NativePlanTest, AGroupRunsItsMembers) {
  const Operation train = graph.step("train", {}, noted("train"));
  const Operation op = graph.operation("op", {}, noted("op"));
  const Operation both = graph.group("both", {train, op});
  EXPECT_EQ(step_of_run(session(), {graph.group("outer", {both})}), 1);
  EXPECT_THAT(calls, ElementsAre("op", "train"));
}

TEST_F(NativePlanTest, AFetchedVariableHasItsValueBeforeTheStep) {
  std::vector<float> w{1.0F, 2.0F};
  const Output variable = graph.variable("w", view(w));
  const Operation train = graph.step("train", {}, [&](StepOutputs&) { w[0] += 10; });
  const auto results = session().run(SessionRunArgs({train, variable, graph.global_step()}));
  EXPECT_EQ(to_text(results[1].view()), "[1 2]");
  EXPECT_EQ(results[2].view().scalar<Step>(), 0);
  EXPECT_EQ(to_text(session().run(variable).view()), "[11 2]");
}

TEST_F(NativePlanTest, AVariableAsInputIsReadWhenTheCallableBegins) {
  float w = 1;
  Tensor kept = Tensor::scalar(5.0F);
  const Output memory = graph.variable("w", view(w));
  const Output accessors = graph.variable(
      "kept", {.save = [&] { return kept; }, .load = [&](const TensorView& v) { kept = v.copy(); }});
  const Operation change = graph.operation("change", {}, [&](StepOutputs&) {
    w = 2;
    kept = Tensor::scalar(6.0F);
  });
  const Output sum = graph.value("sum", {memory, accessors},
                                 [](Inputs in) { return in.scalar<float>(0) + in.scalar<float>(1); });
  EXPECT_EQ(session().run(SessionRunArgs({sum, change}))[0].view().scalar<float>(), 8.0F);
}

TEST_F(NativePlanTest, TheStepCanBeAnInputOfTheStep) {
  std::vector<Step> seen;
  const Operation train = graph.step("train", {.inputs = {graph.global_step()}},
                                     [&](StepOutputs& out) { seen.push_back(out.inputs().scalar<Step>(0)); });
  run(session(), train);
  run(session(), train);
  EXPECT_THAT(seen, ElementsAre(0, 1));
}

TEST_F(NativePlanTest, TheStepIsTheOneAfterTheRun) {
  const Operation one = graph.step("one", {}, nothing);
  const Operation five = graph.step("five", {.increment = 5}, nothing);
  const Operation none = graph.step("none", {.increment = 0}, nothing);
  EXPECT_EQ(step_of_run(session(), {one}), 1);
  EXPECT_EQ(step_of_run(session(), {one, five, none}), 7);
  EXPECT_EQ(step_of_run(session(), {none}), 7);
  EXPECT_EQ(step_of_run(session(), {}), 7);
  graph.set_global_step(100);
  EXPECT_EQ(step_of_run(session(), {one}), 101);
}

TEST_F(NativePlanTest, AStepOfTheProgramsOwnIsReadAfterTheRun) {
  Graph own({.global_step = false});
  std::int32_t count = 3;
  own.variable("global_step", view(count));
  const Operation train = own.step("train", {}, [&](StepOutputs&) { ++count; });
  EXPECT_EQ(step_of_run(*ready_session(own), {train}), 4);
}

TEST_F(NativePlanTest, AskingForAStepThatIsNotThereIsMisuse) {
  Graph without({.global_step = false});
  const auto session = without.create_session({});
  EXPECT_THROW((void)session->prepare({.read_step = true}), Misuse);
  EXPECT_THROW((void)session->read_step(), Misuse);
}

TEST_F(NativePlanTest, AStepThatThrowsDoesNotCount) {
  struct MyError {
    int value;
  };
  const Operation train = graph.step("train", {}, [](StepOutputs&) { throw MyError{7}; });
  try {
    run(session(), train);
    FAIL() << "nothing was thrown";
  } catch (const MyError& error) {
    EXPECT_EQ(error.value, 7);
  }
  EXPECT_EQ(session().read_step(), 0);
}

TEST_F(NativePlanTest, TheVeryExceptionOfACallableComesOut) {
  const std::exception_ptr thrown = std::make_exception_ptr(StopIteration());
  const Operation train = graph.step("train", {}, [&](StepOutputs&) { std::rethrow_exception(thrown); });
  try {
    run(session(), train);
    FAIL() << "nothing was thrown";
  } catch (...) {
    EXPECT_EQ(std::current_exception(), thrown);
  }
}

TEST_F(NativePlanTest, AnOutputThatIsWantedMustBeSet) {
  const Operation op = graph.operation("op", {.outputs = {"a", "b"}}, [](StepOutputs& out) {
    if (out.inputs().size() == 0) {
      out.set("a", 1);
    }
  });
  EXPECT_EQ(session().run(op.output("a")).view().scalar<int>(), 1);
  EXPECT_THAT(error_of([&] { run(session(), op.output("b")); }),
              HasSubstr("FAILED_PRECONDITION: output 'b' of 'op'"));
}

TEST_F(NativePlanTest, AnOutputOfTheRunBeforeDoesNotCount) {
  int runs = 0;
  const Operation op = graph.operation("op", {.outputs = {"a"}}, [&](StepOutputs& out) {
    if (++runs == 1) {
      out.set("a", 1);
    }
  });
  PlanRequest request;
  request.fetches = {op.output("a")};
  const auto plan = session().prepare(request);
  const auto outputs = plan->make_outputs();
  plan->run({}, nullptr, *outputs, nullptr);
  EXPECT_THAT(error_of([&] { plan->run({}, nullptr, *outputs, nullptr); }), HasSubstr("did not set it"));
}

TEST_F(NativePlanTest, OutputsBelongToOnePlan) {
  const auto one = session().prepare({});
  const auto other = session().prepare({});
  const auto outputs = other->make_outputs();
  EXPECT_THAT(error_of([&] { one->run({}, nullptr, *outputs, nullptr); }), HasSubstr("INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace fermata::native
