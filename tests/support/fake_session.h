// For tests: a session over a map of tensors, saved and restored as bundles.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fermata/session.h"
#include "platform/file_system.h"

namespace fermata {

// Runs nothing. Its graph has no operations, but may have a definition.
class FakeSession final : public Session {
 public:
  explicit FakeSession(FileSystem& files = FileSystem::system());
  ~FakeSession() override;

  std::map<std::string, Tensor> variables;
  // Parts of variables: "4 2 0,3:0,2" and the value. Only captured, not saved by the session itself.
  std::map<std::string, std::vector<std::pair<std::string, Tensor>>> parts;
  bool can_capture = false;
  HookState engine_state;
  std::string meta_graph;
  // Where save_variables was told to write, in order.
  std::vector<std::string> saved_to;

  [[nodiscard]] Graph& graph() const override;
  [[nodiscard]] std::unique_ptr<StepPlan> prepare(const PlanRequest& request) override;
  void close() override {}
  [[nodiscard]] bool closed() const noexcept override { return false; }
  [[nodiscard]] Step read_step() override { return 0; }
  void save_variables(const SaverDef& saver, const std::string& prefix) override;
  [[nodiscard]] VariableCapture capture_variables(const SaverDef& saver, std::uint64_t most_bytes) override;
  void restore_variables(const SaverDef& saver, const std::string& prefix) override;
  void save_state(HookState& state) const override { state = engine_state; }
  void load_state(const HookState& state) override { engine_state = state; }

 private:
  class FakeGraph;
  FileSystem& files_;
  std::unique_ptr<FakeGraph> graph_;
};

}  // namespace fermata
