// A run on the native engine that can be killed at any time and started again:
//
//   native_trainer FOLDER LAST_STEP [async|sync|graph] [summary|quiet]
//
// Saves at every step. Prints what it has left at the end.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/native.h"

namespace native = fermata::native;

namespace {

// A step whose result depends on every bit of the one before.
struct Model {
  std::vector<double> weights = std::vector<double>(4096, 0.5);

  float train() {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = weights[i] * 0.99 + 0.01 * weights[(i * 7 + 1) % weights.size()] +
                   1e-3 * static_cast<double>(i % 5);
      sum += weights[i];
    }
    return static_cast<float>(sum);
  }
};

fermata::SaveMode mode_of(const std::string& word) {
  return word == "graph"  ? fermata::SaveMode::kGraph
         : word == "sync" ? fermata::SaveMode::kSync
                          : fermata::SaveMode::kAsync;
}

void run(const std::string& folder, fermata::Step last_step, fermata::SaveMode mode, bool with_events) {
  Model model;
  native::Graph graph;
  graph.variable("weights", native::view(model.weights, {4096}));
  auto train = graph.step("train", {.outputs = {"loss"}},
                          [&](native::StepOutputs& out) { out.set("loss", model.train()); });
  graph.scalar_summary("loss", train.output("loss"));
  fermata::SessionRunArgs request({train});
  const auto scaffold = std::make_shared<fermata::Scaffold>(
      fermata::Scaffold::Options{.saver_options = {.max_to_keep = 2, .mode = mode}});
  fermata::MonitoredSession::Options options;
  options.session_creator = std::make_shared<fermata::ChiefSessionCreator>(
      graph, fermata::ChiefSessionCreator::Options{.scaffold = scaffold, .checkpoint_dir = folder});
  if (with_events) {
    options.hooks.push_back(fermata::make_hook<fermata::SummarySaverHook>(
        {.save_steps = 1, .output_dir = folder, .scaffold = scaffold}));
  }
  options.hooks.push_back(fermata::make_hook<fermata::CheckpointSaverHook>(
      {.checkpoint_dir = folder, .save_steps = 1, .scaffold = scaffold, .write_events = with_events}));
  options.hooks.push_back(fermata::make_hook<fermata::StopAtStepHook>({.last_step = last_step}));
  options.announce = {&request};
  fermata::MonitoredSession session(graph, std::move(options));
  std::printf("started at step %lld\n", static_cast<long long>(session.start_step().value_or(0)));
  std::fflush(stdout);
  const fermata::StopVerdict verdict = session.run_until_stopped([&] { session.run(request); });
  std::printf("%s\n", verdict.to_string().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const auto word = [&](int place, const char* usual) {
    return std::string(argc > place ? argv[place] : usual);
  };
  try {
    run(word(1, "run"), std::stoll(word(2, "10")), mode_of(word(3, "async")),
        word(4, "summary") == "summary");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "native_trainer: %s\n", error.what());
    return 1;
  }
}
