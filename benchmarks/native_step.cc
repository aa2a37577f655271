// A step of the native engine: the prepared plan by itself, and in a monitored session.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eight_hooks.h"
#include "fermata/fermata.h"
#include "fermata/native.h"
#include "small_model.h"

namespace {

namespace native = fermata::native;

struct Fixture {
  Fixture() {
    fermata::set_log_level(fermata::LogLevel::kWarning);
    graph.variable("weight", native::view(model.weight));
    train = graph.step("train", {.outputs = {"loss"}},
                       [callable = benchmarks::callable_of(model)](native::StepOutputs& out) {
                         out.set("loss", callable());
                       });
    loss = train.output("loss");
    graph.scalar_summary("loss", loss);
  }

  benchmarks::SmallModel model;
  native::Graph graph;
  fermata::Operation train;
  fermata::Output loss;
};

// What every step has to do in any case: call, hand out the loss, give the step.
void native_plan(benchmark::State& state) {
  Fixture fixture;
  const fermata::Operation init = fixture.graph.default_init_op();
  const auto session = fixture.graph.create_session({});
  static_cast<void>(session->run(init));
  fermata::PlanRequest request{.fetches = {fixture.loss}, .targets = {fixture.train}};
  request.read_step = true;
  const auto plan = session->prepare(request);
  const auto outputs = plan->make_outputs();
  for (auto _ : state) {
    plan->run({}, nullptr, *outputs, nullptr);
    benchmark::DoNotOptimize(outputs->values.front().scalar<float>());
  }
}
BENCHMARK(native_plan);

void run_monitored(benchmark::State& state, Fixture& fixture, std::vector<fermata::HookPtr> hooks) {
  fermata::SessionRunArgs request({fixture.train, fixture.loss});
  fermata::MonitoredSession session(fixture.graph, {.hooks = std::move(hooks), .announce = {&request}});
  session.run(request);  // the first one is due for hooks that count
  for (auto _ : state) {
    if (session.should_stop()) {
      state.SkipWithError("stopped");
      break;
    }
    benchmark::DoNotOptimize(session.run(request).scalar<float>(1));
  }
  session.close();
}

void monitored_no_hooks(benchmark::State& state) {
  Fixture fixture;
  run_monitored(state, fixture, {});
}
BENCHMARK(monitored_no_hooks);

void monitored_eight_idle_hooks(benchmark::State& state) {
  Fixture fixture;
  run_monitored(state, fixture, benchmarks::eight_idle_hooks());
}
BENCHMARK(monitored_eight_idle_hooks);

void monitored_eight_library_hooks(benchmark::State& state) {
  const std::string dir =
      std::filesystem::temp_directory_path() / ("fermata_benchmark_" + std::to_string(::getpid()));
  Fixture fixture;
  run_monitored(state, fixture,
                benchmarks::eight_library_hooks(dir, fixture.loss, *fixture.graph.default_summary_op()));
  std::filesystem::remove_all(dir);
}
BENCHMARK(monitored_eight_library_hooks);

}  // namespace
