// A StepPlan on TensorFlow: checks what is fed, runs, and says the step after the run.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/engine_plan.h"
#include "engines/tensorflow_graph/session_core.h"
#include "engines/tensorflow_graph/step_source.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// What a plan is, once it is worked out.
struct PlanLayout {
  struct Feed {
    std::string name;  // "x:0"
    TensorSpec spec;
  };
  enum class StepFrom { kNowhere, kFetch, kOwnRun, kCount };

  // In the engine's terms: each fetch once, without those that are fed.
  EngineRequest request;
  // For each fetch of the user: the number of the engine's fetch, or −1 − the number of the feed it is.
  std::vector<std::int32_t> sources;
  // The user's feeds; the request has them first.
  std::vector<Feed> feeds;
  // Values for the rest of the request's feeds.
  std::vector<Tensor> fixed_values;
  StepFrom step_from = StepFrom::kNowhere;
  std::size_t step_fetch = 0;  // for kFetch
  NodeOutput step_read;        // for kOwnRun
  // The train op is among what runs.
  bool trains = false;
  // A step: what the choice of an executor is made by.
  bool is_measured = false;
};

class GraphPlan final : public StepPlan {
 public:
  // Throws: Error (engine).
  GraphPlan(std::shared_ptr<SessionCore> session, PlanLayout layout);

  [[nodiscard]] std::unique_ptr<StepOutputs> make_outputs() const override;
  void run(std::span<const Tensor* const> feeds, const RunOptions* options, StepOutputs& outputs,
           RunMetadata* metadata) override;

 private:
  struct Outputs;
  struct Shared;

  [[nodiscard]] Executor executor_for_run();
  void run_with(Executor executor, const RunOptions* options, Outputs& outputs, RunMetadata* metadata);
  [[nodiscard]] std::optional<Step> step_after(Outputs& outputs) const;

  std::shared_ptr<Shared> shared_;
};

}  // namespace fermata::tensorflow
