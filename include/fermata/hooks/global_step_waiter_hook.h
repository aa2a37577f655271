// Holds back the first run until the step is high enough.
#pragma once

#include <chrono>
#include <memory>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/session_run_hook.h"
#include "fermata/step.h"

namespace fermata {

// For workers that are to join one after the other: the step is that of the variables they share. It waits in
// before_run, so hooks before this one have been asked by then and later ones not yet. Once the step was
// reached it never waits again in this session.
class FERMATA_API GlobalStepWaiterHook : public SessionRunHook {
 public:
  struct Options {
    // 0 or less: no wait, and the step is not read.
    Step wait_until_step = 0;
    // Gives up with kDeadlineExceeded, which leaves the run.
    std::chrono::nanoseconds max_wait = std::chrono::hours(2);
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  explicit GlobalStepWaiterHook(Options options);
  // Throws: Misuse if the graph has no global step.
  void begin(Graph& graph) override;
  // Looks at the step twice a second. Throws: Interrupted if the loop is to end meanwhile.
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;

 private:
  void wait(SessionRunContext& context) const;

  Options options_;
  bool reached_ = false;
};

}  // namespace fermata
