// Fits a line to points: a loop of one's own that stops exactly, saves, resumes and can be watched.
#include <array>
#include <cstdio>
#include <string>

#include "fermata/fermata.h"
#include "fermata/native.h"

namespace native = fermata::native;

namespace {

struct Line {
  float slope = 0;
  float offset = 0;

  // One step of gradient descent towards y = 3x + 1; returns the mean squared error.
  float train() {
    constexpr std::array<float, 4> kPoints{-1, 0, 1, 2};
    float loss = 0, slope_gradient = 0, offset_gradient = 0;
    for (const float x : kPoints) {
      const float error = slope * x + offset - (3 * x + 1);
      loss += error * error / 4;
      slope_gradient += error * x / 2;
      offset_gradient += error / 2;
    }
    slope -= 0.1F * slope_gradient;
    offset -= 0.1F * offset_gradient;
    return loss;
  }
};

void run(const std::string& dir, fermata::Step last_step) {
  Line line;
  native::Graph graph;
  graph.variable("slope", native::view(line.slope));
  graph.variable("offset", native::view(line.offset));
  auto train = graph.step("train", {.outputs = {"loss"}},
                          [&](native::StepOutputs& out) { out.set("loss", line.train()); });
  graph.scalar_summary("loss", train.output("loss"));
  fermata::SessionRunArgs request({train, train.output("loss")});

  auto session = fermata::monitored_training_session(
      graph, {.checkpoint_dir = dir,
              .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = last_step}),
                        fermata::make_hook<fermata::LoggingTensorHook>(
                            {.tensors = {{"loss", train.output("loss")}}, .every_n_iter = 100})},
              .announce = {&request},
              .stop_on_signals = true});
  const fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(request); });

  std::printf("%s\n", verdict.to_string().c_str());
  std::printf("y = %.3fx + %.3f\n", line.slope, line.offset);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "native_loop_run", argc > 2 ? std::stoll(argv[2]) : 300);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "native_loop: %s\n", error.what());
    return 1;
  }
}
