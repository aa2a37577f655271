// Watches values for NaN.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Any element of any of the tensors counts; infinity does not. Hooks before this one have seen the run by
// then: put it before a CheckpointSaverHook that is not to save such a step.
class FERMATA_API NanTensorHook : public SessionRunHook {
 public:
  struct Options {
    // At least one. A name without ":" is the only output of that operation.
    std::vector<Fetch> loss_tensors;
    // True: NanLossError out of the run. False: a stop request with a warning.
    bool fail_on_nan_loss = true;
  };
  // Throws: Error kInvalidArgument without a tensor.
  explicit NanTensorHook(Options options);
  // Throws: Error kNotFound for an unknown name, kInvalidArgument for what is not one tensor.
  void begin(Graph& graph) override;
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  // Throws: NanLossError that names the tensor and the step.
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  void report(std::size_t place, SessionRunContext& context, std::optional<Step> step);

  Options options_;
  SessionRunArgs args_;
};

}  // namespace fermata
