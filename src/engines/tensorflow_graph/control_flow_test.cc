// The step stays exact beside control flow of TensorFlow 1, in which nothing can be waited for.
#include <gtest/gtest.h>

#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/model_state.h"
#include "engines/tensorflow_graph/model_test_support.h"
#include "engines/tensorflow_graph/node_builder.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

std::string bool_attr(bool value) {
  // A TensorProto: dtype bool, one bool_val.
  const std::string tensor = std::string("\x08\x0A\x5A\x01") + (value ? '\x01' : '\x00');
  return std::string("\x42") + static_cast<char>(tensor.size()) + tensor;
}

// `value` in a branch that is taken: switch, what is inside, merge.
struct Branch {
  Branch(Model& model, const Output& value) {
    const Operation taken =
        model.add_operation({.type = "Const",
                             .name = "taken",
                             .attrs = {{"dtype", type_attr(DType::kBool)}, {"value", bool_attr(true)}}});
    const NodeSpec::Attrs type = {{"T", type_attr(DType::kFloat)}};
    const Operation fork = model.add_operation(
        {.type = "Switch", .name = "fork", .inputs = {{{value}}, {{taken.output()}}}, .attrs = type});
    inside = model.add_operation(
        {.type = "Identity", .name = "inside", .inputs = {{{fork.output(1)}}}, .attrs = type});
    const Operation other = model.add_operation(
        {.type = "Identity", .name = "other", .inputs = {{{fork.output(0)}}}, .attrs = type});
    joined = model.add_operation({.type = "Merge",
                                  .name = "joined",
                                  .inputs = {{{other.output(), inside.output()}, true}},
                                  .attrs = {{"T", type_attr(DType::kFloat)}, {"N", wire::attr_of_int(2)}}});
  }
  Operation inside;
  Operation joined;
};

TEST(ControlFlowTest, StepIsExactBesideABranch) {
  Model model = open(fixture("counter.meta"));
  const Branch branch(model, model.tensor("loss:0"));
  const Pieces pieces(model);
  const std::unique_ptr<Session> session = model.create_session({});
  EXPECT_EQ(session->executor(), Executor::kAuto);
  initialize(*session, pieces);
  Step step = 0;
  for (const Operation& fetched : {branch.inside, branch.joined}) {
    for (const bool trains : {true, false}) {
      PlanRequest request{.fetches = {fetched.output()}, .read_step = true};
      if (trains) {
        request.targets = {model.operation("train")};
      }
      const std::unique_ptr<StepPlan> plan = session->prepare(request);
      const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
      for (int run = 0; run < 40; ++run) {
        plan->run({}, nullptr, *outputs, nullptr);
        step += trains ? 1 : 0;
        ASSERT_EQ(outputs->step, step) << fetched.name();
      }
    }
  }
}

TEST(ControlFlowTest, KnowsWhatIsInside) {
  Model model = open(fixture("counter.meta"));
  const Branch branch(model, model.tensor("loss:0"));
  EngineGraph graph(load_runtime({}));
  graph.import(model.graph_def());
  const ControlFlow flow((GraphIndex(graph)));
  EXPECT_TRUE(flow.exists());
  EXPECT_TRUE(flow.encloses(graph.find("inside")));
  EXPECT_TRUE(flow.encloses(graph.find("other")));
  EXPECT_FALSE(flow.encloses(graph.find("joined")));
  EXPECT_FALSE(flow.encloses(graph.find("loss")));
  EXPECT_FALSE(flow.encloses(graph.find("train")));
}

TEST(ControlFlowTest, LoopEndsWithItsExit) {
  const Model model = open(fixture("while_loop_v1.meta"));
  EngineGraph graph(load_runtime({}));
  graph.import(model.graph_def());
  const ControlFlow flow((GraphIndex(graph)));
  EXPECT_TRUE(flow.encloses(graph.find("while/Identity")));
  EXPECT_TRUE(flow.encloses(graph.find("while/Enter")));
  EXPECT_FALSE(flow.encloses(graph.find("while/Exit")));
  EXPECT_FALSE(flow.encloses(graph.find("train")));
  EXPECT_FALSE(flow.encloses(graph.find("loss")));
}

}  // namespace
}  // namespace fermata::tensorflow
