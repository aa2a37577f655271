#include "engines/native/native_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engines/native/native_testing.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata::native {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NativeSessionTest : public testing::Test {
 protected:
  std::vector<std::string> not_ready(Session& session) {
    return texts_of(session.run(graph.default_ready_op()));
  }

  Graph graph;
  float w = 5;
  float local = 1;
  Output variable = graph.variable("w", view(w));
  Output local_variable = graph.local_variable("lv", view(local));
  Operation train = graph.step("train", {}, [this](StepOutputs&) { ++w; });
};

TEST_F(NativeSessionTest, AStepNeedsWhatIsInitialised) {
  const auto session = graph.create_session({});
  EXPECT_THAT(error_of([&] { run(*session, train); }),
              AllOf(HasSubstr("FAILED_PRECONDITION: step 'train'"), HasSubstr("uninitialized"),
                    HasSubstr("global_step, w, lv")));
  run(*session, graph.default_init_op());
  EXPECT_THAT(error_of([&] { run(*session, train); }), HasSubstr("session: lv;"));
  run(*session, graph.default_local_init_op());
  run(*session, train);
  EXPECT_EQ(w, 6.0F);
}

TEST_F(NativeSessionTest, AReadNeedsWhatIsInitialised) {
  const auto session = graph.create_session({});
  const Output copy = graph.value("copy", {variable}, [](Inputs in) { return in.scalar<float>(0); });
  EXPECT_THAT(error_of([&] { run(*session, variable); }), HasSubstr("a read of 'w'"));
  EXPECT_THAT(error_of([&] { run(*session, copy); }), HasSubstr("value 'copy'"));
  EXPECT_THAT(error_of([&] { (void)session->read_step(); }), HasSubstr("uninitialized"));
}

TEST_F(NativeSessionTest, TheErrorOfWhatIsUninitialisedIsTheEngines) {
  try {
    run(*graph.create_session({}), train);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.source(), ErrorSource::kEngine);
  }
}

TEST_F(NativeSessionTest, InitSetsTheValuesOfTheTimeOfAdding) {
  w = 100;
  graph.set_global_step(7);
  const auto session = ready_session(graph);
  EXPECT_EQ(w, 5.0F);
  EXPECT_EQ(session->read_step(), 0);
}

TEST_F(NativeSessionTest, LocalInitLeavesTheOthers) {
  const auto session = graph.create_session({});
  w = 100;
  local = 100;
  run(*session, graph.default_local_init_op());
  EXPECT_EQ(w, 100.0F);
  EXPECT_EQ(local, 1.0F);
}

TEST_F(NativeSessionTest, ReadyNamesWhatIsNot) {
  const auto session = graph.create_session({});
  EXPECT_THAT(not_ready(*session), ElementsAre("global_step", "w", "lv"));
  EXPECT_THAT(texts_of(session->run(graph.default_ready_for_local_init_op())),
              ElementsAre("global_step", "w"));
  run(*session, graph.default_init_op());
  EXPECT_THAT(not_ready(*session), ElementsAre("lv"));
  EXPECT_THAT(texts_of(session->run(graph.default_ready_for_local_init_op())), ElementsAre());
}

TEST_F(NativeSessionTest, AnInitOfOnesOwnTakesAPart) {
  const auto session = graph.create_session({});
  const Operation step_only = graph.initializer("init_step", {graph.global_step()});
  run(*session, step_only);
  EXPECT_THAT(not_ready(*session), ElementsAre("w", "lv"));
  const Output x = graph.placeholder<float>("x");
  const Operation assign = graph.operation("assign", {.inputs = {x}, .initializes = {variable}},
                                           [this](StepOutputs& out) { w = out.inputs().scalar<float>(0); });
  SessionRunArgs args({assign});
  args.feed(x, Tensor::scalar(2.5F));
  run(*session, args);
  EXPECT_THAT(not_ready(*session), ElementsAre("lv"));
  EXPECT_EQ(w, 2.5F);
}

TEST_F(NativeSessionTest, AnInitThatThrowsInitialisesNothing) {
  const auto session = graph.create_session({});
  const Operation broken = graph.operation("broken", {.initializes = {variable}},
                                           [](StepOutputs&) { throw std::runtime_error("no"); });
  EXPECT_THROW(run(*session, broken), std::runtime_error);
  EXPECT_THAT(not_ready(*session), ElementsAre("global_step", "w", "lv"));
}

TEST_F(NativeSessionTest, WhatIsInitialisedInARunCanBeUsedInIt) {
  const auto session = graph.create_session({});
  const Operation init = graph.initializer("init_w", {variable});
  const Operation use = graph.operation("use", {.inputs = {variable}, .after = {init}}, nothing);
  EXPECT_NO_THROW(run(*session, use));
}

TEST_F(NativeSessionTest, EachSessionHasMarksOfItsOwn) {
  const auto first = ready_session(graph);
  run(*first, train);
  const auto second = graph.create_session({});
  EXPECT_THAT(not_ready(*second), ElementsAre("global_step", "w", "lv"));
  run(*second, graph.default_init_op());
  EXPECT_EQ(w, 5.0F) << "both work on one memory";
}

TEST_F(NativeSessionTest, SessionsOfOneTargetShareTheirMarks) {
  const auto chief = graph.create_session({.target = "one"});
  const auto worker = graph.create_session({.target = "one"});
  const auto other = graph.create_session({.target = "two"});
  run(*chief, graph.default_init_op());
  EXPECT_THAT(not_ready(*worker), ElementsAre("lv"));
  EXPECT_THAT(not_ready(*other), ElementsAre("global_step", "w", "lv"));
}

TEST_F(NativeSessionTest, AccessorsSaveLoadAndInitialise) {
  std::vector<int> items{1, 2};
  bool initialised = false;
  const auto save = [&] { return Tensor::of<int>({static_cast<std::int64_t>(items.size())}, items); };
  const auto load = [&](const TensorView& v) {
    items.assign(v.values<int>().begin(), v.values<int>().end());
  };
  const Output loaded = graph.variable("loaded", {.save = save, .load = load});
  graph.variable("with_init",
                 {.dtype = DType::kInt32, .save = save, .load = load, .init = [&] { initialised = true; }});
  items = {7, 8, 9};
  const auto session = ready_session(graph);
  EXPECT_THAT(items, ElementsAre(1, 2))
      << "without init, load is called with the value of the time of adding";
  EXPECT_TRUE(initialised);
  items.push_back(3);
  EXPECT_EQ(to_text(session->run(loaded).view()), "[1 2 3]") << "the shape may change";
}

TEST_F(NativeSessionTest, AccessorsMustKeepTheirWord) {
  const auto load = [](const TensorView&) {};
  const auto save = [] { return Tensor::scalar(1); };
  EXPECT_THAT(error_of([&] { graph.variable("a", {.save = save}); }), HasSubstr("has no load"));
  EXPECT_THAT(error_of([&] { graph.variable("a", {.load = load}); }), HasSubstr("has no save"));
  EXPECT_THAT(error_of([&] { graph.variable("a", {.dtype = DType::kFloat, .save = save, .load = load}); }),
              HasSubstr("'a' is float32 of any shape, but its save gave int32[]"));
}

TEST_F(NativeSessionTest, ARunAfterCloseIsCancelled) {
  const auto session = ready_session(graph);
  const auto plan = session->prepare({.targets = {train}});
  const auto outputs = plan->make_outputs();
  EXPECT_FALSE(session->closed());
  session->close();
  session->close();
  EXPECT_TRUE(session->closed());
  EXPECT_EQ(error_of([&] { plan->run({}, nullptr, *outputs, nullptr); }),
            "CANCELLED: Session has been closed.");
  EXPECT_THROW((void)session->prepare({}), Misuse);
  EXPECT_THAT(error_of([&] { (void)session->read_step(); }), HasSubstr("CANCELLED"));
}

TEST_F(NativeSessionTest, ClosingEndsARunAfterTheCallableUnderWay) {
  const Operation closing = graph.operation("closing", {}, [](StepOutputs& out) {
    out.session().close();
    EXPECT_TRUE(out.session().closed());
  });
  const auto session = ready_session(graph);
  EXPECT_THAT(error_of([&] { run(*session, SessionRunArgs({closing, train})); }), HasSubstr("CANCELLED"));
  EXPECT_EQ(w, 5.0F);
}

TEST_F(NativeSessionTest, ClosingFromAnotherThreadWakesWhatWaits) {
  std::atomic<bool> woken{false};
  std::atomic<bool> waiting{false};
  graph.on_close([&](Session&) {
    woken = true;
    woken.notify_all();
  });
  const Output item = graph.value("item", {}, [&](Inputs in) {
    waiting = true;
    waiting.notify_all();
    woken.wait(false);
    return in.session().closed();
  });
  const auto session = ready_session(graph);
  std::thread runner([&] { EXPECT_TRUE(session->run(item).view().scalar<bool>()); });
  waiting.wait(false);
  session->close();
  runner.join();
}

TEST_F(NativeSessionTest, EveryCloseFunctionIsCalledOnceAndTheFirstFailureReported) {
  int calls = 0;
  graph.on_close([](Session&) { throw std::runtime_error("first"); });
  graph.on_close([&](Session&) { ++calls; });
  const auto session = graph.create_session({});
  EXPECT_THROW(session->close(), std::runtime_error);
  EXPECT_NO_THROW(session->close());
  EXPECT_EQ(calls, 1);
}

TEST_F(NativeSessionTest, ADestroyedSessionIsClosed) {
  bool closed = false;
  graph.on_close([&](Session&) { closed = true; });
  graph.create_session({}).reset();
  EXPECT_TRUE(closed);
}

class NativeTimeoutTest : public testing::Test {
 protected:
  std::string run_for(std::chrono::milliseconds first) {
    graph.operation("first", {}, [this, first](StepOutputs&) { clock->advance(first); });
    graph.operation("second", {}, [this](StepOutputs&) {
      ran_second = true;
      clock->advance(std::chrono::hours(1));
    });
    SessionRunArgs args({"first", "second"});
    args.set_options({.timeout = std::chrono::milliseconds(100)});
    return error_of([&] { run(*ready_session(graph), args); });
  }

  std::shared_ptr<testkit::ManualClock> clock = std::make_shared<testkit::ManualClock>();
  Graph graph{{.clock = clock}};
  bool ran_second = false;
};

TEST_F(NativeTimeoutTest, NoCallableBeginsAfterIt) {
  EXPECT_THAT(run_for(std::chrono::milliseconds(100)),
              AllOf(HasSubstr("DEADLINE_EXCEEDED"), HasSubstr("100 ms"), HasSubstr("'second'")));
  EXPECT_FALSE(ran_second);
}

TEST_F(NativeTimeoutTest, ACallableThatBeganIsNotInterrupted) {
  EXPECT_EQ(run_for(std::chrono::milliseconds(99)), "nothing");
  EXPECT_TRUE(ran_second);
}

}  // namespace
}  // namespace fermata::native
