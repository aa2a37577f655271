// A step under each executor: `auto` should be as fast as the best of the others. Graphs of one's own are
// measured with FERMATA_BENCHMARK_GRAPHS=first.meta:second.meta
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "opened_graph.h"

namespace {

using fermata::Executor;

// More than `auto` measures before it decides.
constexpr int kWarmUp = 40;

std::vector<std::string> graphs() {
  std::vector<std::string> found;
  if (const char* const own = std::getenv("FERMATA_BENCHMARK_GRAPHS")) {
    std::istringstream names(own);
    for (std::string name; std::getline(names, name, ':');) {
      found.push_back(name);
    }
    return found;
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(benchmarks::project_file("tests/fixtures/executors"))) {
    found.push_back(entry.path().string());
  }
  for (const char* const name : {"examples/digits/digits.meta", "tests/fixtures/while_loop_v1.meta"}) {
    found.push_back(benchmarks::project_file(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Opened and warm. Kept for all repetitions, since opening takes far longer than what is measured.
class Loop {
 public:
  Loop(const std::string& path, Executor executor)
      : model_(fermata::tensorflow::open(path)), step_({model_.train_op()}) {
    for (const auto& [name, value] : benchmarks::feeds_of(model_)) {
      step_.feed(model_.tensor(name), value);
    }
    fermata::MonitoredSession::Options options = benchmarks::options_for(model_, executor);
    options.announce = {&step_};
    session_.emplace(model_, std::move(options));
    for (int i = 0; i < kWarmUp; ++i) {
      run();
    }
  }

  void run() { session_->run(step_); }
  [[nodiscard]] std::string executor() const {
    return std::string(fermata::executor_name(session_->raw_session()->executor()));
  }

 private:
  fermata::tensorflow::Model model_;
  fermata::SessionRunArgs step_;
  std::optional<fermata::MonitoredSession> session_;
};

void run_steps(benchmark::State& state, std::unique_ptr<Loop>& loop, const std::string& path,
               Executor executor) {
  if (!loop) {
    loop = std::make_unique<Loop>(path, executor);
  }
  for (auto _ : state) {
    loop->run();
  }
  state.SetLabel(loop->executor());
}

// The one thread takes no reference variables and no control flow of TensorFlow 1.
bool is_possible(const std::string& path, Executor executor) {
  try {
    fermata::tensorflow::Model model = fermata::tensorflow::open(path);
    static_cast<void>(model.create_session({.executor = executor}));
    return true;
  } catch (const fermata::Error&) {
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  fermata::set_log_level(fermata::LogLevel::kError);
  for (const std::string& path : graphs()) {
    for (const Executor executor : {Executor::kAuto, Executor::kSingle, Executor::kCaller, Executor::kPool}) {
      if (is_possible(path, executor)) {
        const std::string name =
            std::filesystem::path(path).stem().string() + "/" + std::string(fermata::executor_name(executor));
        benchmark::RegisterBenchmark(name.c_str(), [=, loop = std::make_shared<std::unique_ptr<Loop>>()](
                                                       benchmark::State& state) {
          run_steps(state, *loop, path, executor);
        })->UseRealTime();
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // with their sessions
}
