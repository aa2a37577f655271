// The work of the benchmarks: small, so that what comes on top of it shows.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

namespace benchmarks {

struct SmallModel {
  float weight = 0;

  float train() {
    weight += 0.1F * (1 - weight);
    benchmark::DoNotOptimize(weight);
    return 1 - weight;
  }
};

// As a loop of one's own would hold it, and as the graph does.
[[nodiscard]] inline std::function<float()> callable_of(SmallModel& model) {
  return [&model] { return model.train(); };
}

}  // namespace benchmarks
