// Reading a checkpoint of 100 MB: looking through it, restoring it, and the same file read plainly. All of it
// lies in the system's cache.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fermata/checkpoint_reader.h"
#include "fermata/log.h"
#include "fermata/native.h"
#include "fermata/saver.h"

namespace {

namespace native = fermata::native;

// Ten variables of 10 MB.
constexpr std::size_t kVariables = 10;
constexpr std::size_t kFloats = 2'500'000;
constexpr std::int64_t kBytes = kVariables * kFloats * sizeof(float);
constexpr std::size_t kPiece = std::size_t{1} << 20U;

// One checkpoint for all benchmarks, removed at the end of the program.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("fermata-read-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    fermata::set_log_level(fermata::LogLevel::kWarning);
    for (std::size_t i = 0; i < kVariables; ++i) {
      values_.emplace_back(kFloats, 0.5F + static_cast<float>(i));
      graph_.variable("w" + std::to_string(i), native::view(values_.back(), {kFloats}));
    }
    session_ = graph_.create_session({});
    static_cast<void>(session_->run(graph_.default_init_op()));
    saver_ = std::make_unique<fermata::Saver>(*graph_.default_saver());
    prefix_ = saver_->save(*session_, (path_ / "m").string(), 1);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] std::string data() const { return prefix_ + ".data-00000-of-00001"; }
  void restore() { saver_->restore(*session_, prefix_); }

 private:
  std::filesystem::path path_;
  std::vector<std::vector<float>> values_;
  native::Graph graph_;
  std::unique_ptr<fermata::Session> session_;
  std::unique_ptr<fermata::Saver> saver_;
  std::string prefix_;
};

Folder& folder() {
  static Folder the_folder;
  return the_folder;
}

// As `dd bs=1M` does to nowhere.
void read_alone(benchmark::State& state) {
  const std::string path = folder().data();
  std::vector<char> piece(kPiece);
  for (auto _ : state) {
    const int file = ::open(path.c_str(), O_RDONLY);
    while (::read(file, piece.data(), piece.size()) > 0) {
      benchmark::ClobberMemory();
    }
    ::close(file);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(read_alone)->Unit(benchmark::kMillisecond)->UseRealTime();

void verify(benchmark::State& state) {
  const std::string prefix = folder().prefix();
  for (auto _ : state) {
    if (fermata::find_damage(prefix)) {
      state.SkipWithError("the checkpoint is damaged");
    }
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(verify)->Unit(benchmark::kMillisecond)->UseRealTime();

// Looks through all of it and then fills the variables.
void restore(benchmark::State& state) {
  Folder& made = folder();
  for (auto _ : state) {
    made.restore();
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(restore)->Unit(benchmark::kMillisecond)->UseRealTime();

// One tensor after the other, as a program that looks into a checkpoint does.
void get_tensors(benchmark::State& state) {
  const fermata::CheckpointReader reader(folder().prefix());
  for (auto _ : state) {
    for (const fermata::CheckpointReader::Entry& entry : reader.entries()) {
      benchmark::DoNotOptimize(reader.get_tensor(entry.name).view().data());
    }
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(get_tensors)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
