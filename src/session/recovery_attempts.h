// Counts attempts to make a session anew, says how long to wait before the next one, and what was lost.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "fermata/clock.h"
#include "fermata/monitored_session.h"
#include "fermata/step.h"

namespace fermata {

// Threads: one at a time.
class RecoveryAttempts {
 public:
  RecoveryAttempts(RecoveryPolicy policy, std::shared_ptr<Clock> clock);

  // The pause before the next attempt, which counts from now on; nothing if the policy allows no more.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next();
  // Attempts within the window.
  [[nodiscard]] int count() const noexcept { return static_cast<int>(times_.size()); }

 private:
  RecoveryPolicy policy_;
  std::shared_ptr<Clock> clock_;
  std::deque<Clock::TimePoint> times_;
  std::minstd_rand random_;
};

// What a recovery lost and will be repeated, for the log and the verdict.
[[nodiscard]] std::string recovery_note(const std::string& restored_from, std::optional<Step> before,
                                        std::optional<Step> now);

}  // namespace fermata
