// A step of TensorFlow: called bare with everything prepared, and in a monitored session without and with
// hooks. With FERMATA_NO_PREPARED_CALLS=1 both sides go through TF_SessionRun.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "bare_tensorflow.h"
#include "opened_graph.h"

namespace {

using benchmarks::Feeds;
using fermata::tensorflow::Model;

constexpr fermata::Step kNever = 1'000'000'000'000;

// Opened after the plug-in, and so with the libraries that are there already.
const BareTensorflow& bare_tensorflow() {
  static const BareTensorflow& functions = [&]() -> const BareTensorflow& {
    void* const library = dlopen(FERMATA_BENCHMARK_BARE_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void* const factory = library == nullptr ? nullptr : dlsym(library, BARE_TENSORFLOW_FACTORY);
    if (factory == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    return *reinterpret_cast<BareTensorflowFactory>(factory)();
  }();
  return functions;
}

struct Case {
  std::string meta;
  // Fed by the caller where there are no hooks, and by a hook where there are.
  std::function<Feeds(const Model&)> feeds;
  // Fetched by the caller too, not only by hooks.
  bool fetches_loss = false;
};

Feeds one_number(const Model&) { return {{"x:0", fermata::Tensor::scalar(1.0F)}}; }
Feeds nothing(const Model&) { return {}; }

const std::string kCounter = benchmarks::project_file("tests/fixtures/executors/fed_counter.meta");
const std::string kDigits = benchmarks::project_file("examples/digits/digits.meta");

// Null on failure. The session stays open for all repetitions, since opening takes far longer than what is
// measured.
void* open_bare(const Case& what) {
  const Model model = fermata::tensorflow::open(what.meta);
  const BareTensorflow& bare = bare_tensorflow();
  const Feeds feeds = what.feeds(model);
  std::vector<BareFeed> bare_feeds;
  for (const auto& [name, value] : feeds) {
    const fermata::TensorView view = value.view();
    bare_feeds.push_back({name.c_str(), static_cast<std::int32_t>(view.dtype()),
                          static_cast<std::int32_t>(view.shape().size()), view.shape().data(), view.data(),
                          view.byte_size()});
  }
  const BareRequest request = {what.meta.c_str(), "train",
                               "global_step",     what.fetches_loss ? "loss:0" : nullptr,
                               bare_feeds.data(), static_cast<std::int32_t>(bare_feeds.size())};
  return bare.open(&request);
}

void run_bare(benchmark::State& state, void*& run, const Case& what) {
  run = run == nullptr ? open_bare(what) : run;
  if (run == nullptr) {
    state.SkipWithError("the bare session could not be opened");
    return;
  }
  const bool prepared = std::getenv("FERMATA_NO_PREPARED_CALLS") == nullptr;
  const auto call = prepared ? bare_tensorflow().run_callable : bare_tensorflow().run_session;
  std::int64_t step = call(run);
  for (auto _ : state) {
    step = call(run);
    benchmark::DoNotOptimize(step);
  }
  if (step < 0) {
    state.SkipWithError("the bare run failed");
  }
}

class TemporaryFolder {
 public:
  TemporaryFolder() { std::filesystem::create_directories(path_); }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static inline int made_ = 0;
  std::string path_ = std::filesystem::temp_directory_path() /
                      ("fermata-step-" + std::to_string(::getpid()) + "-" + std::to_string(made_++));
};

// None of them is due; intervals are in steps, so that none asks for the time.
std::vector<fermata::HookPtr> eight_hooks(const Model& model, const Feeds& feeds, const std::string& folder) {
  const fermata::Output loss = model.tensor("loss:0");
  return {
      fermata::make_hook<fermata::StopAtStepHook>({.last_step = kNever}),
      fermata::make_hook<fermata::LoggingTensorHook>({.tensors = {{"loss", loss}}, .every_n_iter = kNever}),
      fermata::make_hook<fermata::CheckpointSaverHook>({.checkpoint_dir = folder, .save_steps = kNever}),
      fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = kNever}),
      fermata::make_hook<fermata::SummarySaverHook>({.save_steps = kNever,
                                                     .output_dir = folder,
                                                     .summary_op = {model.collection("summary_op").front()}}),
      fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {loss}}),
      fermata::make_hook<fermata::FinalOpsHook>({.final_ops = {loss}, .final_ops_feed_dict = feeds}),
      fermata::make_hook<fermata::FeedFnHook>({.feed_fn = [feeds] { return feeds; }})};
}

// Opened, and behind the steps in which hooks that count are due; kept as the bare session is.
class Loop {
 public:
  Loop(const Case& what, bool with_hooks)
      : model_(fermata::tensorflow::open(what.meta)), step_({model_.train_op()}) {
    const Feeds feeds = what.feeds(model_);
    if (!with_hooks && what.fetches_loss) {
      step_ = fermata::SessionRunArgs({model_.train_op(), model_.tensor("loss:0")});
    }
    fermata::MonitoredSession::Options options = benchmarks::options_for(model_, fermata::Executor::kSingle);
    if (with_hooks) {
      options.hooks = eight_hooks(model_, feeds, folder_.path());
    } else {
      for (const auto& [name, value] : feeds) {
        step_.feed(model_.tensor(name), value);
      }
    }
    options.announce = {&step_};
    session_.emplace(model_, std::move(options));
    session_->run(step_);
    session_->run(step_);
  }

  void run(benchmark::State& state) {
    for (auto _ : state) {
      if (session_->should_stop()) {
        state.SkipWithError("stopped");
        break;
      }
      session_->run(step_);
      benchmark::DoNotOptimize(session_->step());
    }
  }

 private:
  TemporaryFolder folder_;
  Model model_;
  fermata::SessionRunArgs step_;
  std::optional<fermata::MonitoredSession> session_;
};

void add(const std::string& name, const Case& plain, const Case& watched) {
  const auto bare = [](const Case& what) {
    return [what, run = std::make_shared<void*>(nullptr)](benchmark::State& state) {
      run_bare(state, *run, what);
    };
  };
  const auto monitored = [](const Case& what, bool with_hooks) {
    return [what, with_hooks, loop = std::make_shared<std::unique_ptr<Loop>>()](benchmark::State& state) {
      *loop = *loop ? std::move(*loop) : std::make_unique<Loop>(what, with_hooks);
      (*loop)->run(state);
    };
  };
  benchmark::RegisterBenchmark((name + "/bare").c_str(), bare(plain));
  benchmark::RegisterBenchmark((name + "/no_hooks").c_str(), monitored(plain, false));
  benchmark::RegisterBenchmark((name + "/bare_fed_and_watched").c_str(), bare(watched));
  benchmark::RegisterBenchmark((name + "/eight_hooks").c_str(), monitored(watched, true));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  fermata::set_log_level(fermata::LogLevel::kError);
  add("counter", {kCounter, nothing, false}, {kCounter, one_number, true});
  add("digits", {kDigits, benchmarks::feeds_of, true}, {kDigits, benchmarks::feeds_of, true});
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // with their sessions
}
