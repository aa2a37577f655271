// A save of 100 MB: what it adds to the steps around it, and how fast it gets to disk.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fermata/log.h"
#include "fermata/native.h"
#include "fermata/saver.h"

namespace {

namespace native = fermata::native;

constexpr std::size_t kBytes = 100'000'000;
constexpr std::size_t kFloats = kBytes / sizeof(float);
constexpr std::chrono::minutes kLong{10};

std::string new_folder() {
  const auto path = std::filesystem::temp_directory_path() / ("fermata-save-" + std::to_string(::getpid()));
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string();
}

// The same bytes, warm memory on both sides.
void memcpy_alone(benchmark::State& state) {
  const std::vector<float> from(kFloats, 1.0F);
  std::vector<float> to(kFloats);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}
BENCHMARK(memcpy_alone)->Unit(benchmark::kMillisecond)->UseRealTime();

// The same bytes, as a plain program puts them on disk.
void write_and_sync_alone(benchmark::State& state) {
  const std::string folder = new_folder();
  const std::vector<float> from(kFloats, 1.0F);
  for (auto _ : state) {
    const int file = ::open((folder + "/bytes").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
    const char* bytes = reinterpret_cast<const char*>(from.data());
    for (std::size_t done = 0; done < kBytes;) {
      const ssize_t count = ::write(file, bytes + done, std::min<std::size_t>(kBytes - done, 1 << 20));
      if (count <= 0) {
        state.SkipWithError("the disk takes no more");
        break;
      }
      done += static_cast<std::size_t>(count);
    }
    ::fsync(file);
    ::close(file);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
  std::filesystem::remove_all(folder);
}
BENCHMARK(write_and_sync_alone)->Unit(benchmark::kMillisecond)->UseRealTime();

// A model whose step goes over all its weights, as training does.
struct Run {
  Run() : weights(kFloats, 1.0F) {
    fermata::set_log_level(fermata::LogLevel::kWarning);
    graph.variable("weights", native::view(weights, {static_cast<std::int64_t>(kFloats)}));
    session = graph.create_session({});
    static_cast<void>(session->run(graph.default_init_op()));
  }
  void step() {
    for (float& weight : weights) {
      weight += 0.5F;
    }
    benchmark::ClobberMemory();
  }
  std::vector<float> weights;
  native::Graph graph;
  std::unique_ptr<fermata::Session> session;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// `measure` is called with the run and the saver before each save, saves, and returns seconds. The first save
// is not counted: its memory is new.
template <typename Measure>
void save_again_and_again(benchmark::State& state, const Measure& measure) {
  const std::string folder = new_folder();
  {
    Run run;
    fermata::Saver saver(*run.graph.default_saver(), {.max_to_keep = 2, .mode = fermata::SaveMode::kAsync});
    fermata::Step step = 0;
    const auto save = [&] { saver.save(*run.session, folder + "/m", ++step); };
    save();
    static_cast<void>(saver.wait(kLong));
    for (auto _ : state) {
      state.SetIterationTime(measure(run, saver, save));
    }
  }
  std::filesystem::remove_all(folder);
}

// What the loop waits for while the values are captured; the thread that writes begins behind it.
void async_save_holds_the_step(benchmark::State& state) {
  save_again_and_again(state, [](Run&, fermata::Saver& saver, const auto& save) {
    const Clock::time_point start = Clock::now();
    save();
    const double held = seconds_since(start);
    static_cast<void>(saver.wait(kLong));
    return held;
  });
}
BENCHMARK(async_save_holds_the_step)->Unit(benchmark::kMillisecond)->UseManualTime();

// The capture, and what the steps take longer for as long as the thread writes.
void async_save_adds_to_steps(benchmark::State& state) {
  save_again_and_again(state, [](Run& run, fermata::Saver& saver, const auto& save) {
    constexpr int kAlone = 5;
    Clock::time_point start = Clock::now();
    for (int i = 0; i < kAlone; ++i) {
      run.step();
    }
    const double step = seconds_since(start) / kAlone;
    start = Clock::now();
    save();
    int steps = 0;
    for (; saver.busy(); ++steps) {
      run.step();
    }
    const double added = seconds_since(start) - steps * step;
    static_cast<void>(saver.wait(kLong));
    // A machine whose speed wanders may make it less than nothing.
    return std::max(added, 1e-9);
  });
}
BENCHMARK(async_save_adds_to_steps)->Unit(benchmark::kMillisecond)->UseManualTime();

// From the values to the synced state file.
void async_save_until_committed(benchmark::State& state) {
  save_again_and_again(state, [](Run&, fermata::Saver& saver, const auto& save) {
    const Clock::time_point start = Clock::now();
    save();
    static_cast<void>(saver.wait(kLong));
    return seconds_since(start);
  });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}
BENCHMARK(async_save_until_committed)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
