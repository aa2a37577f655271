// Watches values for NaN.
#pragma once

#include <string>
#include <vector>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Contract NAN; any element of any of the tensors counts.
class FERMATA_API NanTensorHook : public SessionRunHook {
 public:
  struct Options {
    std::vector<Fetch> loss_tensors;
    // True: NanLossError out of the run. False: a stop request with a warning.
    bool fail_on_nan_loss = true;
  };
  explicit NanTensorHook(Options options);
  [[nodiscard]] std::vector<const SessionRunArgs*> announced() const override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  // Throws: NanLossError that names the tensor and the step.
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  Options options_;
  SessionRunArgs args_;
};

}  // namespace fermata
