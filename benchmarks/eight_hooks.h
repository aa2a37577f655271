// Eight hooks, of which none is due: what the benchmarks and the count of instructions put around a step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fermata/fermata.h"

namespace benchmarks {

// Of a user: called in each step, and does nothing.
class IdleHook : public fermata::SessionRunHook {
 public:
  const fermata::SessionRunArgs* before_run(fermata::SessionRunContext& /*context*/) override {
    return nullptr;
  }
  void after_run(fermata::SessionRunContext& /*context*/,
                 const fermata::SessionRunValues& /*values*/) override {}
};

[[nodiscard]] inline std::vector<fermata::HookPtr> eight_idle_hooks() {
  std::vector<fermata::HookPtr> hooks;
  for (int i = 0; i < 8; ++i) {
    hooks.push_back(std::make_shared<IdleHook>());
  }
  return hooks;
}

// The usual ones: intervals are in steps, so that none asks for the time.
[[nodiscard]] inline std::vector<fermata::HookPtr> eight_library_hooks(const std::string& dir,
                                                                       const fermata::Output& loss,
                                                                       const fermata::Output& summary) {
  constexpr fermata::Step kNever = 1'000'000'000'000;
  return {
      fermata::make_hook<fermata::StopAtStepHook>({.last_step = kNever}),
      fermata::make_hook<fermata::StopAtStepHook>({.num_steps = kNever}),
      fermata::make_hook<fermata::CheckpointSaverHook>({.checkpoint_dir = dir, .save_steps = kNever}),
      fermata::make_hook<fermata::StepCounterHook>({.every_n_steps = kNever}),
      fermata::make_hook<fermata::SummarySaverHook>(
          {.save_steps = kNever, .output_dir = dir, .summary_op = {summary}}),
      fermata::make_hook<fermata::LoggingTensorHook>({.tensors = {{"loss", loss}}, .every_n_iter = kNever}),
      fermata::make_hook<fermata::FinalOpsHook>({.final_ops = {loss}}),
      fermata::make_hook<fermata::NanTensorHook>({.loss_tensors = {loss}})};
}

}  // namespace benchmarks
