// Graphs of every kind are opened, initialised and trained, and tell their step exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engines/tensorflow_graph/model_test_support.h"

namespace fermata::tensorflow {
namespace {

using testing::ElementsAre;

std::vector<Step> steps(Step first, int count, Step increment = 1) {
  std::vector<Step> expected(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    expected[static_cast<std::size_t>(i)] = first + i * increment;
  }
  return expected;
}

// Contract GS-8.
TEST(TrainingTest, EachStepIsTheOneAfterTheUpdate) {
  for (const char* name : {"counter", "counter_ref", "step_before", "step_after", "trainer", "nan_at",
                           "lookup_table", "no_collections"}) {
    OpenOptions options;
    options.train_op = "train";
    Trainer trainer(fixture(std::string(name) + ".meta"), options);
    EXPECT_EQ(trainer.train(50), steps(1, 50)) << name;
    EXPECT_EQ(trainer.session->read_step(), 50) << name;
  }
}

TEST(TrainingTest, EachExecutorGivesTheSameSteps) {
  for (const Executor executor : {Executor::kPool, Executor::kCaller, Executor::kSingle}) {
    Trainer trainer(fixture("counter.meta"), {}, {.executor = executor});
    EXPECT_EQ(trainer.train(50), steps(1, 50));
    EXPECT_EQ(trainer.session->executor(), executor);
  }
}

// Contract GS-13.
TEST(TrainingTest, LargerIncrementsAreSeenAsTheyAre) {
  Trainer trainer(fixture("counter_by_five.meta"));
  EXPECT_EQ(trainer.train(10), steps(5, 10, 5));
}

TEST(TrainingTest, LossIsFetchedInTheSameRun) {
  Trainer trainer(fixture("counter.meta"));
  EXPECT_EQ(trainer.train_and_fetch(4, "loss:0"), steps(1, 4));
  EXPECT_THAT(trainer.losses, ElementsAre(100, 99, 98, 97));
}

TEST(TrainingTest, ReferenceVariablesChooseBetweenPoolAndCaller) {
  Trainer trainer(fixture("counter_ref.meta"));
  EXPECT_EQ(trainer.session->executor(), Executor::kAuto);
  trainer.train(100);
  EXPECT_THAT(trainer.session->executor(), testing::AnyOf(Executor::kPool, Executor::kCaller));
}

TEST(TrainingTest, ResultsOfAReferenceVariableStayAsTheyWere) {
  Trainer trainer(fixture("counter_ref.meta"));
  const std::unique_ptr<StepPlan> read = trainer.session->prepare({.fetches = {trainer.model.tensor("w:0")}});
  const std::unique_ptr<StepOutputs> outputs = read->make_outputs();
  read->run({}, nullptr, *outputs, nullptr);
  trainer.train(3);
  EXPECT_EQ(outputs->values.front().scalar<float>(), 0.0F);
}

TEST(TrainingTest, SingleThreadedExecutorIsRefusedWhereItCannotWork) {
  Model reference = open(fixture("counter_ref.meta"));
  EXPECT_EQ(message_of([&] { static_cast<void>(reference.create_session({.executor = Executor::kSingle})); }),
            "the executor 'single' cannot run a graph with reference variables ('global_step'); choose auto, "
            "pool or "
            "caller");
  Model loop = open(fixture("while_loop_v1.meta"));
  EXPECT_THAT(
      message_of([&] { static_cast<void>(loop.create_session({.executor = Executor::kSingle})); }),
      testing::StartsWith("the executor 'single' cannot run a graph with control flow of TensorFlow 1"));
}

TEST(TrainingTest, LoopsOfTensorFlow1Train) {
  Trainer trainer(fixture("while_loop_v1.meta"));
  EXPECT_EQ(trainer.train_and_fetch(20, "loss:0"), steps(1, 20));
  EXPECT_EQ(trainer.losses.front(), 32.0);
  EXPECT_LT(trainer.losses.back(), 5.0);
}

TEST(TrainingTest, FetchInsideOfALoopLeavesTheStepExact) {
  Trainer trainer(fixture("while_loop_v1.meta"));
  PlanRequest request = train_request(trainer.model);
  // The exit of a loop can be fetched and waited for; what is inside of it cannot.
  request.fetches = {trainer.model.tensor("while/Exit_1:0")};
  EXPECT_EQ(trainer.train(5, request), steps(1, 5));
}

TEST(TrainingTest, PartsOfAVariableTrain) {
  Trainer trainer(fixture("partitioned.meta"));
  EXPECT_EQ(trainer.train_and_fetch(10, "loss:0"), steps(1, 10));
  EXPECT_LT(trainer.losses.back(), trainer.losses.front());
  const std::vector<VariableInfo> variables = trainer.model.variables();
  EXPECT_EQ(variables[1].name, "weights/part_1");
  EXPECT_EQ(variables[1].checkpoint_key, "weights");
  EXPECT_EQ(variables[1].slice, "10 4 4,3:0,4");
}

TEST(TrainingTest, TablesAreFilledByLocalInit) {
  Trainer trainer(fixture("lookup_table.meta"));
  trainer.train_and_fetch(4, "loss:0");
  EXPECT_THAT(trainer.losses, ElementsAre(1, 2, 3, 1));
}

TEST(TrainingTest, DataSetInTheGraphEndsWithOutOfRange) {
  Trainer trainer(fixture("dataset.meta"));
  EXPECT_TRUE(trainer.model.has_own_input());
  trainer.train_and_fetch(10, "loss:0");
  EXPECT_THAT(trainer.losses, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
  try {
    trainer.train(1);
    FAIL() << "the input should have ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kOutOfRange);
    EXPECT_EQ(error.source(), ErrorSource::kEngine);
  }
}

TEST(TrainingTest, CountsStepsOfAGraphWithoutOne) {
  Trainer trainer(fixture("no_global_step.meta"), {.count_steps = true});
  EXPECT_EQ(trainer.train(3), steps(1, 3));
  // A run that does not train is no step.
  static_cast<void>(trainer.session->run(Fetch("loss:0")));
  EXPECT_EQ(trainer.session->read_step(), 3);
  HookState state;
  trainer.session->save_state(state);
  Trainer other(fixture("no_global_step.meta"), {.count_steps = true});
  other.session->load_state(state);
  EXPECT_EQ(other.train(2), steps(4, 2));
}

TEST(TrainingTest, FedFetchGivesTheFedValue) {
  Trainer trainer(fixture("counter.meta"));
  const Output loss = trainer.model.tensor("loss:0");
  const Tensor fed = Tensor::scalar(7.5F);
  PlanRequest request = train_request(trainer.model);
  request.fetches = {loss};
  request.feeds = {loss};
  EXPECT_EQ(trainer.train(2, request, {&fed}), steps(1, 2));
  EXPECT_THAT(trainer.losses, ElementsAre(7.5, 7.5));
  // Also if nothing else is wanted, so that nothing runs.
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare({.fetches = {loss}, .feeds = {loss}});
  const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
  const Tensor* const feeds[] = {&fed};
  plan->run(feeds, nullptr, *outputs, nullptr);
  EXPECT_EQ(outputs->values.front().scalar<float>(), 7.5F);
}

TEST(TrainingTest, EveryTypeGoesInAndComesBack) {
  Trainer trainer(fixture("multi_type.meta"));
  const std::vector<std::pair<std::string, Tensor>> values = {
      {"int32", Tensor::of<std::int32_t>({2}, {1, -2})},
      {"int64", Tensor::of<std::int64_t>({2}, {3, -4})},
      {"float32", Tensor::of<float>({2}, {0.5F, 1.5F})},
      {"float64", Tensor::of<double>({1}, {2.25})},
      {"bool", Tensor::of<bool>({2}, {true, false})},
      {"uint8", Tensor::of<std::uint8_t>({3}, {1, 2, 255})},
      {"float16", Tensor::of<Half>({1}, {Half{0x3C00}})},
      {"string", Tensor::strings({2}, {"", std::string("a\0b", 3)})}};
  SessionRunArgs args;
  for (const auto& [type, value] : values) {
    args.fetch("out_" + type + ":0");
    args.feed("in_" + type + ":0", value);
  }
  const std::vector<Tensor> results = trainer.session->run(args);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(identical(results[i].view(), values[i].second.view())) << values[i].first;
  }
}

TEST(TrainingTest, WrongFeedIsRefusedBeforeAnythingRuns) {
  Trainer trainer(project_file("examples/digits/digits.meta"));
  const PlanRequest request = [&] {
    PlanRequest with_feeds = train_request(trainer.model);
    with_feeds.feeds = {trainer.model.tensor("x:0"), trainer.model.tensor("y:0")};
    return with_feeds;
  }();
  const Tensor images = Tensor::of<float>({1, 64}, std::vector<float>(64));
  const Tensor flat = Tensor::of<float>({64}, std::vector<float>(64));
  const Tensor labels = Tensor::of<std::int64_t>({1}, {3});
  const Tensor empty;
  EXPECT_EQ(
      message_of([&] {
        trainer.train(1, request, {&labels, &labels});
      }),
      "'x:0' takes float32 of shape [?,64], but was fed int64 of shape [1]; feed what the graph declares");
  EXPECT_EQ(
      message_of([&] {
        trainer.train(1, request, {&flat, &labels});
      }),
      "'x:0' takes float32 of shape [?,64], but was fed float32 of shape [64]; feed what the graph declares");
  EXPECT_EQ(message_of([&] {
              trainer.train(1, request, {&images, &empty});
            }),
            "'y:0' is fed and takes int64 of shape [?], but its feed has no value; set it before the run");
  EXPECT_EQ(trainer.session->read_step(), 0);
  EXPECT_EQ(trainer.train(1, request, {&images, &labels}), steps(1, 1));
}

TEST(TrainingTest, HandleOfAVariableIsNoValue) {
  Trainer trainer(fixture("counter.meta"));
  EXPECT_EQ(message_of([&] { static_cast<void>(trainer.session->run(Fetch("w:0"))); }),
            "'w:0' cannot be fetched: it is a handle (resource) and has no value itself; its value is "
            "'w/Read/ReadVariableOp:0'");
}

TEST(TrainingTest, MissingFeedIsOneSentence) {
  Trainer trainer(project_file("examples/digits/digits.meta"));
  // Which of the two it is depends on the order in which they run.
  EXPECT_THAT(message_of([&] { trainer.train(1); }),
              testing::MatchesRegex(
                  "You must feed a value for placeholder tensor '[xy]' with dtype [a-z0-9]+ and shape "
                  "\\[[?,0-9]+\\]"));
}

TEST(TrainingTest, OptionsAndMetadataGoThroughAndBack) {
  Trainer trainer(fixture("counter.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
  RunOptions options;
  options.trace_level = TraceLevel::kSoftwareTrace;
  RunMetadata metadata;
  plan->run({}, &options, *outputs, &metadata);
  EXPECT_EQ(outputs->step, 1);
  EXPECT_NE(metadata.serialized, "");
}

// Contract GS-9.
TEST(TrainingTest, PlansThatWereNotAnnouncedTellTheStepToo) {
  Trainer trainer(fixture("counter.meta"));
  for (const char* tensor : {"loss:0", "Merge/MergeSummary:0", "w/Read/ReadVariableOp:0"}) {
    const Step before = trainer.session->read_step();
    EXPECT_EQ(trainer.train_and_fetch(3, tensor), steps(before + 1, 3)) << tensor;
  }
}

TEST(TrainingTest, ClosedSessionRunsNothing) {
  Trainer trainer(fixture("counter.meta"));
  const std::unique_ptr<StepPlan> plan = trainer.session->prepare(train_request(trainer.model));
  const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
  trainer.session->close();
  trainer.session->close();
  EXPECT_TRUE(trainer.session->closed());
  try {
    plan->run({}, nullptr, *outputs, nullptr);
    FAIL() << "a closed session has run";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kCancelled);
  }
  EXPECT_THROW(static_cast<void>(trainer.session->prepare({.read_step = true})), Misuse);
}

TEST(TrainingTest, TwoSessionsOfOneGraphHaveVariablesOfTheirOwn) {
  Trainer trainer(fixture("counter.meta"));
  trainer.train(5);
  const std::unique_ptr<Session> other = trainer.model.create_session({});
  initialize(*other, trainer.pieces);
  EXPECT_EQ(other->read_step(), 0);
  EXPECT_EQ(trainer.session->read_step(), 5);
}

// Contract GS-5, GS-9.
TEST(TrainingTest, ReadsOfTheStepShowNowhere) {
  Model model = open(fixture("counter.meta"));
  const std::string before = model.graph_def();
  const std::size_t operations = model.operations().size();
  const std::unique_ptr<Session> session = model.create_session({.announced = {train_request(model)}});
  EXPECT_EQ(model.graph_def(), before);
  EXPECT_EQ(model.operations().size(), operations);
  EXPECT_FALSE(model.find_operation("fermata/step_read"));
}

}  // namespace
}  // namespace fermata::tensorflow
