// Ends a run after a time.
#pragma once

#include <chrono>
#include <memory>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Requests stop with StopReason::kDeadline after the first run that ends `limit` or later after begin.
class FERMATA_API TimeLimitHook : public SessionRunHook {
 public:
  struct Options {
    std::chrono::nanoseconds limit{0};
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };
  // Throws: Error kInvalidArgument for a limit ≤ 0.
  explicit TimeLimitHook(Options options);
  void begin(Graph& graph) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  Options options_;
  Clock::TimePoint start_;
};

}  // namespace fermata
