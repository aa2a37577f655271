// One prepared request as the engine has it, and the values that are fed to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/session_core.h"
#include "fermata/tensor.h"

namespace fermata::tensorflow {

// A value as the engine takes it. Holds the tensor, so that its memory stays.
class FedTensor {
 public:
  FedTensor() noexcept = default;
  // Throws: Error (engine).
  FedTensor(const FermataPluginApi& api, const Tensor& value);
  ~FedTensor();
  FedTensor(FedTensor&& other) noexcept;
  FedTensor& operator=(FedTensor&& other) noexcept;

  [[nodiscard]] void* handle() const noexcept { return handle_; }
  // Whether it holds this very value.
  [[nodiscard]] bool holds(const Tensor& value) const noexcept {
    return handle_ != nullptr && value_.same_memory(value);
  }
  [[nodiscard]] const Tensor& value() const noexcept { return value_; }

 private:
  const FermataPluginApi* api_ = nullptr;
  void* handle_ = nullptr;
  Tensor value_;
};

struct EngineRequest {
  std::vector<NodeOutput> fetches;
  std::vector<Node> targets;
  std::vector<NodeOutput> feeds;
  std::string run_options;  // serialized
};

// Where results go, one run at a time.
class EngineOutputs {
 public:
  EngineOutputs(const FermataPluginApi& api, void* plan, std::size_t num_fetches);
  ~EngineOutputs();
  EngineOutputs(const EngineOutputs&) = delete;
  EngineOutputs& operator=(const EngineOutputs&) = delete;

  [[nodiscard]] void* handle() const noexcept { return handle_; }
  [[nodiscard]] FermataTensorView* views() noexcept { return views_.data(); }
  // The result of a fetch, valid until the next run.
  [[nodiscard]] TensorView view(std::size_t fetch) const noexcept;

 private:
  const FermataPluginApi& api_;
  void* handle_;
  std::vector<FermataTensorView> views_;
};

// Options of one run and what is recorded about it.
struct RunExtras {
  const std::string* options = nullptr;  // serialized; null: those of the plan
  std::string* metadata = nullptr;       // null: nothing is recorded
};

// Threads: run may be called from several threads at once, each with outputs of its own.
class EnginePlan {
 public:
  // Throws: Error (engine).
  EnginePlan(std::shared_ptr<SessionCore> session, const EngineRequest& request);
  ~EnginePlan();
  EnginePlan(const EnginePlan&) = delete;
  EnginePlan& operator=(const EnginePlan&) = delete;

  [[nodiscard]] std::unique_ptr<EngineOutputs> make_outputs() const;
  // Throws: Error (engine).
  void run(const std::vector<void*>& feeds, EngineOutputs& outputs, const RunExtras& extras = {});

 private:
  std::shared_ptr<SessionCore> session_;
  std::size_t num_fetches_;
  void* plan_;
};

}  // namespace fermata::tensorflow
