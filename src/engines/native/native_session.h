// One live instance of a native graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/native/capture_memory.h"
#include "engines/native/graph_impl.h"
#include "fermata/native.h"
#include "fermata/session.h"

namespace fermata::native {

class NativeSession : public Session {
 public:
  NativeSession(Graph& graph, std::shared_ptr<Graph::Impl> impl, const SessionConfig& config);
  ~NativeSession() override;

  [[nodiscard]] fermata::Graph& graph() const override;
  [[nodiscard]] std::unique_ptr<StepPlan> prepare(const PlanRequest& request) override;
  void close() override;
  [[nodiscard]] bool closed() const noexcept override;
  [[nodiscard]] Step read_step() override;
  void save_variables(const SaverDef& saver, const std::string& prefix) override;
  [[nodiscard]] VariableCapture capture_variables(const SaverDef& saver, std::uint64_t most_bytes) override;
  void restore_variables(const SaverDef& saver, const std::string& prefix) override;
  std::vector<std::string> restore_available(const SaverDef& saver, const std::string& prefix) override;

 private:
  Graph& graph_;
  std::shared_ptr<SessionState> state_;
  CaptureMemory capture_memory_;
};

}  // namespace fermata::native
