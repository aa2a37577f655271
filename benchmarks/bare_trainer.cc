// bare_trainer META STEPS: trains the digits graph on batches of zeros through TensorFlow's C API alone.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bare_tensorflow.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "bare_trainer META STEPS\n");
    return 2;
  }
  void* const library = dlopen(FERMATA_BENCHMARK_BARE_MODULE, RTLD_NOW | RTLD_LOCAL);
  void* const factory = library == nullptr ? nullptr : dlsym(library, BARE_TENSORFLOW_FACTORY);
  if (factory == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const BareTensorflow& bare = *reinterpret_cast<BareTensorflowFactory>(factory)();
  constexpr int kFloat = 1;
  constexpr int kInt64 = 9;
  const std::array<std::int64_t, 2> sizes = {64, 64};
  const std::vector<float> x(64 * 64);
  const std::vector<std::int64_t> y(64);
  const std::array<BareFeed, 2> feeds = {
      BareFeed{"x:0", kFloat, 2, sizes.data(), x.data(), x.size() * sizeof(float)},
      BareFeed{"y:0", kInt64, 1, sizes.data(), y.data(), y.size() * sizeof(std::int64_t)}};
  const BareRequest request = {argv[1], "train", "global_step", "loss:0", feeds.data(), 2};
  void* const run = bare.open(&request);
  if (run == nullptr) {
    return 1;
  }
  std::int64_t step = 0;
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    step = bare.run_session(run);
  }
  bare.close(run);
  std::printf("step %lld\n", static_cast<long long>(step));
  return step < 0 ? 1 : 0;
}
