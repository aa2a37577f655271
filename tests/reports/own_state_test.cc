// A program whose parameters, optimizer and random numbers are memory of its own, saved and found again.
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/reports/reports_fixture.h"

namespace fermata::reports {
namespace {

// One weight for each column, and an optimizer that makes its momenta when it first needs them, as many do.
struct Trainer {
  std::vector<float> weights = {1, 2, 3};
  std::vector<float> momenta;
  std::mt19937 random{7};

  // Leaves out the last column, which then has a weight that is never updated.
  float train() {
    momenta.resize(2);
    for (std::size_t i = 0; i < momenta.size(); ++i) {
      const float noise = static_cast<float>(random() % 1000) / 1000;
      momenta[i] = 0.5F * momenta[i] + weights[i] + noise;
      weights[i] -= 0.125F * momenta[i];
    }
    return weights[0] + weights[1];
  }
};

// The generator as text, with the checkpoint.
class RandomStateHook : public SessionRunHook {
 public:
  explicit RandomStateHook(std::mt19937& random) : random_(random) {}
  [[nodiscard]] std::string name() const override { return "RandomStateHook"; }
  void save_state(HookState& state) const override {
    std::ostringstream text;
    text << random_;
    state.set("generator", text.str());
  }
  void load_state(const HookState& state) override {
    if (const auto text = state.text("generator")) {
      std::istringstream(*text) >> random_;
    }
  }

 private:
  std::mt19937& random_;
};

class OwnStateReportsTest : public testing::Test {
 protected:
  static Tensor momenta_of(const Trainer& trainer) {
    return Tensor::of<float>({static_cast<std::int64_t>(trainer.momenta.size())}, trainer.momenta);
  }

  // A process of its own, as far as the trainer can tell: trains to `last_step` from what the folder holds.
  std::vector<float> run(Trainer& trainer, const std::string& dir, Step last_step, bool keep_random = true) {
    native::Graph graph;
    graph.variable("weights", native::view(trainer.weights));
    graph.variable("momenta", {.save = [&] { return momenta_of(trainer); },
                               .load =
                                   [&](const TensorView& value) {
                                     const auto values = value.values<float>();
                                     trainer.momenta.assign(values.begin(), values.end());
                                   }});
    std::vector<float> losses;
    const auto train =
        graph.step("train", {}, [&](native::StepOutputs&) { losses.push_back(trainer.train()); });
    SessionRunArgs args({train});
    std::vector<HookPtr> hooks = {make_hook<StopAtStepHook>({.last_step = last_step})};
    if (keep_random) {
      hooks.push_back(std::make_shared<RandomStateHook>(trainer.random));
    }
    MonitoredSession loop =
        monitored_training_session(graph, {.checkpoint_dir = dir, .hooks = std::move(hooks)});
    loop.run_until_stopped([&] { loop.run(args); });
    return losses;
  }

  TempFolder folder_;
};

// report CU-12
TEST_F(OwnStateReportsTest, WhatIsLoadedIsWhatTheNextStepChanges) {
  Trainer first;
  run(first, folder_ / "run", 3);
  Trainer second;
  EXPECT_THAT(run(second, folder_ / "run", 4), testing::SizeIs(1));
  EXPECT_NE(second.weights, first.weights);
  first.train();
  EXPECT_EQ(second.weights, first.weights);
  EXPECT_EQ(second.momenta, first.momenta);
}

// report CU-14
TEST_F(OwnStateReportsTest, StateSavedBeforeTheFirstStepIsEmptyAndFoundAgain) {
  Trainer before;
  run(before, folder_ / "run", 0);
  ASSERT_EQ(latest_checkpoint(folder_ / "run"), folder_ / "run/model.ckpt-0");
  Trainer after;
  after.momenta = {9, 9};
  after.weights = {9, 9, 9};
  EXPECT_THAT(run(after, folder_ / "run", 1), testing::SizeIs(1));
  Trainer expected;
  expected.train();
  EXPECT_EQ(after.weights, expected.weights);
}

// report CU-15
TEST_F(OwnStateReportsTest, RandomNumbersGoOnWhereAHookKeepsTheirState) {
  Trainer straight;
  const std::vector<float> expected = run(straight, folder_ / "straight", 10);
  for (const bool keep_random : {true, false}) {
    const std::string dir = folder_ / (keep_random ? "kept" : "lost");
    Trainer first;
    run(first, dir, 5, keep_random);
    Trainer second;
    const std::vector<float> rest = run(second, dir, 10, keep_random);
    EXPECT_EQ(rest == std::vector<float>(expected.begin() + 5, expected.end()), keep_random);
  }
}

}  // namespace
}  // namespace fermata::reports
