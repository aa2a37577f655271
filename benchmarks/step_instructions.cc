// Runs steps of the native engine and nothing else, for valgrind to count the instructions of a step:
//   step_instructions HOOKS STEPS    HOOKS is none, idle (eight of a user) or library (eight of the
//   library's) step_instructions compiler       what it was compiled with
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/native.h"

namespace {

namespace native = fermata::native;
namespace fs = std::filesystem;

constexpr fermata::Step kNever = 1'000'000'000'000;

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

// Of a user: called in each step, and does nothing.
class IdleHook : public fermata::SessionRunHook {
 public:
  const fermata::SessionRunArgs* before_run(fermata::SessionRunContext& /*context*/) override {
    return nullptr;
  }
  void after_run(fermata::SessionRunContext& /*context*/,
                 const fermata::SessionRunValues& /*values*/) override {}
};

class Program {
 public:
  explicit Program(std::string dir) : dir_(std::move(dir)) {
    graph_.variable("weight", native::view(weight_));
    train_ = graph_.step("train", {.outputs = {"loss"}}, [this](native::StepOutputs& out) {
      weight_ += 0.1F * (1 - weight_);
      out.set("loss", 1 - weight_);
    });
    loss_ = train_.output("loss");
    graph_.scalar_summary("loss", loss_);
  }

  std::vector<fermata::HookPtr> hooks(std::string_view kind) {
    if (kind == "library") {
      return library_hooks();
    }
    std::vector<fermata::HookPtr> idle;
    for (int i = 0; i < 8 && kind == "idle"; ++i) {
      idle.push_back(std::make_shared<IdleHook>());
    }
    return idle;
  }

  // Returns something that depends on all steps.
  float run(std::vector<fermata::HookPtr> hooks, std::int64_t steps) {
    fermata::SessionRunArgs request({train_, loss_});
    fermata::MonitoredSession session(graph_, {.hooks = std::move(hooks), .announce = {&request}});
    float sum = 0;
    for (std::int64_t i = 0; i < steps && !session.should_stop(); ++i) {
      sum += session.run(request).scalar<float>(1);
    }
    session.close();
    return sum;
  }

 private:
  // None is due after the first step, and none asks for the time.
  std::vector<fermata::HookPtr> library_hooks() {
    return {fermata::make_hook<fermata::StopAtStepHook>({.last_step = kNever}),
            fermata::make_hook<fermata::StopAtStepHook>({.num_steps = kNever}),
            fermata::make_hook<fermata::CheckpointSaverHook>({.checkpoint_dir = dir_, .save_steps = kNever}),
            fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = kNever}),
            fermata::make_hook<fermata::SummarySaverHook>(
                {.save_steps = kNever, .output_dir = dir_, .summary_op = {*graph_.default_summary_op()}}),
            fermata::make_hook<fermata::LoggingTensorHook>(
                {.tensors = {{"loss", loss_}}, .every_n_iter = kNever}),
            fermata::make_hook<fermata::FinalOpsHook>({.final_ops = {loss_}}),
            fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {loss_}})};
  }

  std::string dir_;
  float weight_ = 0;
  native::Graph graph_;
  fermata::Operation train_;
  fermata::Output loss_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "compiler") {
    std::cout << kCompiler << '\n';
    return 0;
  }
  if (argc != 3) {
    std::cerr << "usage: step_instructions none|idle|library STEPS, or: step_instructions compiler\n";
    return 2;
  }
  fermata::set_log_level(fermata::LogLevel::kWarning);
  const fs::path dir = fs::temp_directory_path() / ("fermata_instructions_" + std::to_string(::getpid()));
  {
    Program program(dir.string());
    std::cout << program.run(program.hooks(argv[1]), std::atoll(argv[2])) << '\n';
  }
  fs::remove_all(dir);
  return 0;
}
