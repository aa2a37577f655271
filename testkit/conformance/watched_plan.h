// A plan whose runs are written down.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "conformance/watched_session.h"

namespace fermata::conformance {

// Tells a run with hooks from a raw run: the hook that the runner puts behind all others has announced it.
class WatchedPlan : public StepPlan {
 public:
  // `session` must outlive it, as a session outlives its plans.
  WatchedPlan(WatchedSession& session, PlanRequest request, std::unique_ptr<StepPlan> plan);

  [[nodiscard]] std::unique_ptr<StepOutputs> make_outputs() const override;
  void run(std::span<const Tensor* const> feeds, const RunOptions* options, StepOutputs& outputs,
           RunMetadata* metadata) override;

 private:
  struct Outputs;
  void run_hooked(std::span<const Tensor* const> feeds, const RunOptions* options, Outputs& outputs,
                  RunMetadata* metadata);
  void run_raw(std::span<const Tensor* const> feeds, const RunOptions* options, Outputs& outputs,
               RunMetadata* metadata);
  void run_inner(std::span<const Tensor* const> feeds, const RunOptions* options, Outputs& outputs,
                 RunMetadata* metadata);
  // The run with the loss of the scenario fed in addition, or instead of what is fed.
  void run_with_loss(const Tensor& loss, std::span<const Tensor* const> feeds, const RunOptions* options,
                     Outputs& outputs, RunMetadata* metadata);
  [[nodiscard]] std::string result_words(const std::string& what, const StepOutputs& outputs) const;

  WatchedSession& session_;
  PlanRequest request_;
  std::unique_ptr<StepPlan> plan_;
  std::unique_ptr<StepPlan> plan_with_loss_;
};

}  // namespace fermata::conformance
