// Batches of rows of a .npy file, of 1 MB each, beside a copy of as many bytes.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/dataset.h"
#include "cli/npy_writer.h"

namespace {

using fermata::cli::Dataset;

constexpr std::int64_t kRows = 64 * 256;
constexpr std::int64_t kRowFloats = 1024;
constexpr std::int64_t kBatchRows = 256;
constexpr std::size_t kBatchBytes = kBatchRows * kRowFloats * sizeof(float);

// 64 MB, more than the caches hold.
class File {
 public:
  File() {
    const std::vector<float> values(kRows * kRowFloats, 1.0F);
    const fermata::Tensor array = fermata::Tensor::of<float>({kRows, kRowFloats}, values);
    const fermata::cli::NpyContent content = fermata::cli::npy_content(array.view());
    std::ofstream(path_, std::ios::binary) << content.header << content.values();
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ =
      std::filesystem::temp_directory_path() / ("fermata-rows-" + std::to_string(::getpid()) + ".npy");
};

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBatchBytes));
}

// From place to place of the same 64 MB, into one batch.
void memcpy_alone(benchmark::State& state) {
  const std::vector<float> from(kRows * kRowFloats, 1.0F);
  std::vector<float> to(kBatchBytes / sizeof(float));
  std::size_t place = 0;
  for (auto _ : state) {
    std::memcpy(to.data(), from.data() + place, kBatchBytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
    place = (place + to.size()) % from.size();
  }
  count_bytes(state);
}
BENCHMARK(memcpy_alone)->UseRealTime();

void next_batches(benchmark::State& state, Dataset::Options options) {
  const File file;
  Dataset data({fermata::cli::NpyFile(file.path())}, options);
  std::vector<fermata::Tensor> batch;
  for (std::int64_t i = 0; i < kRows / kBatchRows; ++i) {
    static_cast<void>(data.next(batch));  // Each page of the file is mapped once.
  }
  for (auto _ : state) {
    static_cast<void>(data.next(batch));
    benchmark::DoNotOptimize(batch.front().view().data());
  }
  count_bytes(state);
}

// The rows are where they are in the file: nothing is copied.
void batches_in_order(benchmark::State& state) { next_batches(state, {.batch_size = kBatchRows}); }
BENCHMARK(batches_in_order)->UseRealTime();

// Row by row into a batch.
void shuffled_batches(benchmark::State& state) {
  next_batches(state, {.batch_size = kBatchRows, .shuffle_seed = 1});
}
BENCHMARK(shuffled_batches)->UseRealTime();

}  // namespace
