// A step of the native engine: the prepared plan by itself, and in a monitored session.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

// Of a user: all five callbacks are there and do nothing.
class IdleHook : public fermata::SessionRunHook {
 public:
  const fermata::SessionRunArgs* before_run(fermata::SessionRunContext& /*context*/) override {
    return nullptr;
  }
  void after_run(fermata::SessionRunContext& /*context*/,
                 const fermata::SessionRunValues& /*values*/) override {}
};

void monitored_eight_idle_hooks(benchmark::State& state) {
  Fixture fixture;
  std::vector<fermata::HookPtr> hooks;
  for (int i = 0; i < 8; ++i) {
    hooks.push_back(std::make_shared<IdleHook>());
  }
  run_monitored(state, fixture, std::move(hooks));
}
BENCHMARK(monitored_eight_idle_hooks);

// The usual ones, none of them due: intervals are in steps, so that none asks for the time.
void monitored_eight_library_hooks(benchmark::State& state) {
  constexpr fermata::Step kNever = 1'000'000'000'000;
  const std::string dir =
      std::filesystem::temp_directory_path() / ("fermata_benchmark_" + std::to_string(::getpid()));
  Fixture fixture;
  const fermata::Output summary = *fixture.graph.default_summary_op();
  run_monitored(
      state, fixture,
      {fermata::make_hook<fermata::StopAtStepHook>({.last_step = kNever}),
       fermata::make_hook<fermata::StopAtStepHook>({.num_steps = kNever}),
       fermata::make_hook<fermata::CheckpointSaverHook>({.checkpoint_dir = dir, .save_steps = kNever}),
       fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = kNever}),
       fermata::make_hook<fermata::SummarySaverHook>(
           {.save_steps = kNever, .output_dir = dir, .summary_op = {summary}}),
       fermata::make_hook<fermata::LoggingTensorHook>(
           {.tensors = {{"loss", fixture.loss}}, .every_n_iter = kNever}),
       fermata::make_hook<fermata::FinalOpsHook>({.final_ops = {fixture.loss}}),
       fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {fixture.loss}})});
  std::filesystem::remove_all(dir);
}
BENCHMARK(monitored_eight_library_hooks);

}  // namespace
