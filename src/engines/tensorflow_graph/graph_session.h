// A Session on TensorFlow.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/engine_plan.h"
#include "engines/tensorflow_graph/model_state.h"
#include "engines/tensorflow_graph/session_core.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

class GraphSession final : public Session {
 public:
  // `model` must outlive the session. Throws: Error.
  GraphSession(const Model::Impl& model, const SessionConfig& config);
  // Waits for runs under way.
  ~GraphSession() override;

  [[nodiscard]] Graph& graph() const override;
  [[nodiscard]] std::unique_ptr<StepPlan> prepare(const PlanRequest& request) override;
  void close() override;
  [[nodiscard]] bool closed() const noexcept override;
  [[nodiscard]] Step read_step() override;
  void save_variables(const SaverDef& saver, const std::string& prefix) override;
  [[nodiscard]] VariableCapture capture_variables(const SaverDef& saver, std::uint64_t most_bytes) override;
  void restore_variables(const SaverDef& saver, const std::string& prefix) override;
  std::vector<std::string> restore_available(const SaverDef& saver, const std::string& prefix) override;
  void save_state(HookState& state) const override;
  void load_state(const HookState& state) override;
  [[nodiscard]] Executor executor() const noexcept override;

 private:
  struct SaverRuns;

  void require_open(std::string_view what) const;
  [[nodiscard]] SaverRuns& runs_of(const SaverDef& saver);
  void run_once(const EngineRequest& request, const std::vector<FedTensor>& feeds);

  const Model::Impl& model_;
  std::shared_ptr<SessionCore> core_;
  std::mutex step_mutex_;
  std::unique_ptr<StepPlan> step_plan_;
  std::mutex saver_mutex_;
  std::map<std::string, std::unique_ptr<SaverRuns>> saver_runs_;
};

// What the executor that was asked for means for this graph: kSingle, or one that is chosen per run.
// Throws: Error kInvalidArgument if the graph cannot be run by the single-threaded one.
[[nodiscard]] Executor executor_for(const Model::Impl& model, const SessionConfig& config);

}  // namespace fermata::tensorflow
