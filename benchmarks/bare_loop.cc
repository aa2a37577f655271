// The loop without Fermata: what the others are compared with.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "small_model.h"

namespace {

void bare_callable(benchmark::State& state) {
  benchmarks::SmallModel model;
  const std::function<float()> train = benchmarks::callable_of(model);
  std::int64_t step = 0;
  for (auto _ : state) {
    float loss = train();
    benchmark::DoNotOptimize(loss);
    benchmark::DoNotOptimize(++step);
  }
}
BENCHMARK(bare_callable);

}  // namespace
