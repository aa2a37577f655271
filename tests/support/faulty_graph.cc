#include "tests/support/faulty_graph.h"

#include <span>
#include <string>
#include <vector>

namespace fermata {
namespace {

class FaultyPlan final : public StepPlan {
 public:
  FaultyPlan(std::unique_ptr<StepPlan> inside, const EngineFaults& faults)
      : inside_(std::move(inside)), faults_(faults) {}

  [[nodiscard]] std::unique_ptr<StepOutputs> make_outputs() const override {
    faults_.call(EngineCall::kMakeOutputs);
    return inside_->make_outputs();
  }
  void run(std::span<const Tensor* const> feeds, const RunOptions* options, StepOutputs& outputs,
           RunMetadata* metadata) override {
    faults_.call(EngineCall::kRun);
    inside_->run(feeds, options, outputs, metadata);
  }

 private:
  std::unique_ptr<StepPlan> inside_;
  const EngineFaults& faults_;
};

class FaultySession final : public Session {
 public:
  FaultySession(std::unique_ptr<Session> inside, EngineFaults& faults)
      : inside_(std::move(inside)), faults_(faults) {
    ++faults_.live_sessions;
  }
  ~FaultySession() override {
    --faults_.live_sessions;
    faults_.never_closed += close_was_tried_ ? 0 : 1;
  }

  [[nodiscard]] Graph& graph() const override { return inside_->graph(); }
  [[nodiscard]] std::unique_ptr<StepPlan> prepare(const PlanRequest& request) override {
    faults_.call(EngineCall::kPrepare);
    return std::make_unique<FaultyPlan>(inside_->prepare(request), faults_);
  }
  void close() override {
    close_was_tried_ = true;
    faults_.call(EngineCall::kClose);
    inside_->close();
  }
  [[nodiscard]] bool closed() const noexcept override { return inside_->closed(); }
  [[nodiscard]] Step read_step() override {
    faults_.call(EngineCall::kReadStep);
    return inside_->read_step();
  }
  void save_variables(const SaverDef& saver, const std::string& prefix) override {
    faults_.call(EngineCall::kSave);
    inside_->save_variables(saver, prefix);
  }
  void restore_variables(const SaverDef& saver, const std::string& prefix) override {
    faults_.call(EngineCall::kRestore);
    inside_->restore_variables(saver, prefix);
  }
  [[nodiscard]] VariableCapture capture_variables(const SaverDef& saver, std::uint64_t most_bytes) override {
    faults_.call(EngineCall::kCapture);
    return inside_->capture_variables(saver, most_bytes);
  }
  std::vector<std::string> restore_available(const SaverDef& saver, const std::string& prefix) override {
    faults_.call(EngineCall::kRestore);
    return inside_->restore_available(saver, prefix);
  }
  void save_state(HookState& state) const override { inside_->save_state(state); }
  void load_state(const HookState& state) override { inside_->load_state(state); }
  [[nodiscard]] Executor executor() const noexcept override { return inside_->executor(); }

 private:
  std::unique_ptr<Session> inside_;
  EngineFaults& faults_;
  bool close_was_tried_ = false;
};

}  // namespace

std::unique_ptr<Session> FaultyGraph::create_session(const SessionConfig& config) {
  faults.call(EngineCall::kCreate);
  return std::make_unique<FaultySession>(native::Graph::create_session(config), faults);
}

}  // namespace fermata
