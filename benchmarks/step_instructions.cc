// Runs steps of the native engine and nothing else, for valgrind to count the instructions of a step:
//
//   step_instructions none|idle|library STEPS    no hooks, eight of a user, eight of the library
//   step_instructions compiler                   what it was compiled with
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eight_hooks.h"
#include "fermata/fermata.h"
#include "fermata/native.h"

namespace {

namespace native = fermata::native;
namespace fs = std::filesystem;

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

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
      return benchmarks::eight_library_hooks(dir_, loss_, *graph_.default_summary_op());
    }
    return kind == "idle" ? benchmarks::eight_idle_hooks() : std::vector<fermata::HookPtr>();
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
