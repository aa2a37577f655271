// Feeds the next batch of a data set in each step.
#pragma once

#include <string>
#include <vector>

#include "cli/batch_reader.h"
#include "fermata/session_run_hook.h"

namespace fermata::cli {

// The end of the data set ends the loop as end of input. Its place in the data set is kept with each
// checkpoint, so that a run that goes on from one gets the batches that an uninterrupted run would have got.
// A checkpoint without it (written by Python) is taken to have used one batch for each of its steps.
class InputHook : public SessionRunHook {
 public:
  // `tensors` are fed from the files of the data set, in their order.
  InputHook(Dataset dataset, const std::vector<Output>& tensors);

  [[nodiscard]] std::string name() const override { return "InputHook"; }
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override { return {&args_}; }
  void after_create_session(Session& session, Coordinator* coordinator) override;
  // Throws: StopIteration.
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void save_state(HookState& state) const override;
  // State that was kept with other data or another order is named in the log and not used.
  void load_state(const HookState& state) override;

  [[nodiscard]] const Dataset& dataset() const noexcept { return batches_.dataset(); }

 private:
  BatchReader batches_;
  SessionRunArgs args_;
  std::vector<FeedSlot> slots_;
  std::vector<Tensor> batch_;
  // Whether the session that is being made came with state.
  bool loaded_ = false;
};

}  // namespace fermata::cli
