// One scalar into an event file: the bytes alone, and through the writer.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "fermata/event_writer.h"

namespace {

std::string new_folder() {
  static int count = 0;
  const auto path = std::filesystem::temp_directory_path() /
                    ("fermata-events-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  std::filesystem::create_directories(path);
  return path.string();
}

// As many bytes as a scalar's record has, ready made, through a buffer of the C library.
void bytes_alone(benchmark::State& state) {
  const std::string folder = new_folder();
  const std::string record(58, 'x');
  std::FILE* file = std::fopen((folder + "/bytes").c_str(), "w");
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::fwrite(record.data(), 1, record.size(), file));
  }
  std::fclose(file);
  state.SetItemsProcessed(state.iterations());
  std::filesystem::remove_all(folder);
}
BENCHMARK(bytes_alone)->UseRealTime();

void scalar(benchmark::State& state) {
  const std::string folder = new_folder();
  {
    fermata::EventWriter writer(folder);
    fermata::Step step = 0;
    for (auto _ : state) {
      writer.add_scalar("training/loss", 0.25, ++step);
    }
    writer.close();
  }
  state.SetItemsProcessed(state.iterations());
  std::filesystem::remove_all(folder);
}
BENCHMARK(scalar)->UseRealTime();

}  // namespace
