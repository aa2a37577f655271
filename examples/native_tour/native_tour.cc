// Everything a native graph is made of, in one small training: a line fitted to noisy points in random
// batches.
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/native.h"

namespace native = fermata::native;

namespace {

using Point = std::pair<float, float>;

// The program's own state. The graph refers to it, and saves and restores it.
struct Model {
  std::vector<float> weights{0, 0};  // slope and offset
  float smoothed = 0;
  std::mt19937 random{1};

  [[nodiscard]] float error_at(const Point& point) const {
    return weights[0] * point.first + weights[1] - point.second;
  }

  float train(float rate) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    float loss = 0;
    for (int i = 0; i < 8; ++i) {
      const float x = uniform(random);
      const Point point{x, 3 * x + 1 + 0.01F * uniform(random)};
      const float error = error_at(point);
      weights[0] -= rate * error * point.first;
      weights[1] -= rate * error;
      loss += error * error / 8;
    }
    return loss;
  }
};

std::string text_of(const std::mt19937& random) {
  std::ostringstream text;
  text << random;
  return text.str();
}

void set_from(std::mt19937& random, std::string_view text) {
  std::istringstream(std::string(text)) >> random;
}

// A graph over a model, with what the program wants to run of it.
struct Training {
  explicit Training(Model& m) : model(m) {
    // Plain memory: saved, restored, and set back to what it is now when a session is initialised anew.
    weights = graph.variable("weights", native::view(model.weights));
    // Anything else: with the state of the generator in the checkpoint, a resumed run draws the same numbers.
    graph.variable(
        "random",
        {.save = [this] { return fermata::Tensor::string_scalar(text_of(model.random)); },
         .load = [this](const fermata::TensorView& text) { set_from(model.random, text.string()); }});
    // Not saved.
    graph.local_variable("smoothed", native::view(model.smoothed));

    rate = graph.placeholder_with_default("rate", fermata::Tensor::scalar(0.1F));
    train = graph.step("train", {.outputs = {"loss"}, .inputs = {rate}}, [this](native::StepOutputs& out) {
      const auto learning_rate = out.inputs().scalar<float>(0);
      out.set("loss", model.train(learning_rate));
    });

    // Computed from the step's output, so after it.
    smoothed = graph.value("smoothed_loss", {train.output("loss")}, [this](native::Inputs in) {
      return model.smoothed += 0.1F * (in.scalar<float>(0) - model.smoothed);
    });
    graph.scalar_summary("loss", train.output("loss"));
    graph.scalar_summary("loss/smoothed", smoothed);

    // Not part of a step: what the model says for one x.
    x = graph.placeholder<float>("x");
    y = graph.value("y", {x, weights}, [](native::Inputs in) {
      const auto line = in[1].values<float>();
      return line[0] * in.scalar<float>(0) + line[1];
    });

    // A start of one's own instead of the values at the time of adding.
    init = graph.operation("start_at_two", {.after = {graph.default_init_op()}, .initializes = {weights}},
                           [this](native::StepOutputs&) {
                             model.weights = {2, 2};
                           });
  }

  Model& model;
  native::Graph graph;
  fermata::Output weights, rate, smoothed, x, y;
  fermata::Operation train, init;
};

fermata::MonitoredSession open_session(Training& training, const std::string& dir, fermata::Step last_step) {
  auto scaffold = std::make_shared<fermata::Scaffold>(fermata::Scaffold::Options{.init_op = training.init});
  return fermata::monitored_training_session(
      training.graph, {.checkpoint_dir = dir,
                       .scaffold = std::move(scaffold),
                       .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = last_step}),
                                 fermata::make_hook<fermata::NanTensorHook>(
                                     {.loss_tensors = {training.train.output("loss")}})},
                       .save_summaries_steps = 10,
                       .log_step_count_steps = 0});
}

// What the model says for x = 2 after training up to `last_step`.
float train(Model& model, const std::string& dir, fermata::Step last_step) {
  Training training(model);
  fermata::SessionRunArgs request({training.train, training.smoothed});
  const fermata::FeedSlot rate = request.feed(training.rate);
  fermata::SessionRunArgs question({training.y});
  question.feed(training.x, fermata::Tensor::scalar(2.0F));

  float answer = 0;
  auto session = open_session(training, dir, last_step);
  const auto verdict = session.run_until_stopped([&] {
    const auto step = static_cast<float>(session.step().value_or(0));
    rate.set(fermata::Tensor::scalar(0.1F / (1 + step / 100)));
    session.run(request);
    answer = session.run_without_hooks(question).scalar<float>(0);
  });
  std::printf("%s; y(2) = %.4f\n", verdict.to_string().c_str(), answer);
  return answer;
}

int run(const std::string& dir) {
  Model whole;
  train(whole, dir + "/whole", 200);

  Model first_half;
  train(first_half, dir + "/halves", 100);
  Model resumed;
  const float answer = train(resumed, dir + "/halves", 200);

  const bool same = resumed.weights == whole.weights && resumed.random == whole.random;
  std::printf("a resumed run gives %s\n", same ? "the same to the last bit" : "something else");
  return same && std::abs(answer - 7) < 0.1F ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "native_tour_run");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "native_tour: %s\n", error.what());
    return 1;
  }
}
