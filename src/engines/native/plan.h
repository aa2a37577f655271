// A prepared request of the native engine.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "engines/native/graph_impl.h"
#include "engines/native/plan_layout.h"
#include "fermata/session.h"

namespace fermata::native {

class RunTrace;

class Plan : public StepPlan {
 public:
  Plan(PlanLayout layout, std::shared_ptr<SessionState> state);

  [[nodiscard]] std::unique_ptr<fermata::StepOutputs> make_outputs() const override;
  void run(std::span<const Tensor* const> feeds, const RunOptions* options, fermata::StepOutputs& outputs,
           RunMetadata* metadata) override;

 private:
  struct Call;
  struct Outputs;

  [[nodiscard]] inline Outputs& own(fermata::StepOutputs& outputs) const;
  void take_feeds(std::span<const Tensor* const> feeds, Outputs& outputs) const;
  [[gnu::always_inline]] inline void run_plain(Outputs& outputs) const;
  void run_watched(const RunOptions* options, Outputs& outputs, RunMetadata* metadata);
  [[gnu::always_inline]] inline void act(Call& call, Outputs& outputs) const;
  void require_initialized(const PlanLayout::Action& action) const;

  const PlanLayout layout_;
  const std::shared_ptr<SessionState> state_;
  const bool takes_feeds_;
  const bool gives_step_;
  // Whether a step among what is called counts, which then says where it has come to.
  const bool counts_;
  // Everything that this plan needs was found initialised; marks are never taken back.
  std::atomic<bool> initialized_{false};
};

}  // namespace fermata::native
