#include "session/recovery_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fermata {

RecoveryAttempts::RecoveryAttempts(RecoveryPolicy policy, std::shared_ptr<Clock> clock)
    : policy_(policy), clock_(std::move(clock)), random_(std::random_device{}()) {}

std::optional<std::chrono::nanoseconds> RecoveryAttempts::next() {
  const Clock::TimePoint now = clock_->now();
  while (!times_.empty() && now - times_.front() > policy_.window) {
    times_.pop_front();
  }
  if (count() >= policy_.max_attempts) {
    return std::nullopt;
  }
  // Many processes that lost one server must not come back in step, so each pause is up to a quarter off.
  std::uniform_real_distribution<double> jitter(0.75, 1.25);
  const double doubled = std::ldexp(std::chrono::duration<double>(policy_.first_pause).count(), count());
  const double pause =
      std::min(doubled, std::chrono::duration<double>(policy_.max_pause).count()) * jitter(random_);
  times_.push_back(now);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(pause));
}

std::string recovery_note(const std::string& restored_from, std::optional<Step> before,
                          std::optional<Step> now) {
  if (restored_from.empty()) {
    return "recovered: no checkpoint was there to restore, so the training began anew";
  }
  if (!before || !now || *before <= *now) {
    return fmt::format("recovered: restored from {}", restored_from);
  }
  return fmt::format("recovered: restored at step {}; steps {}–{} will be run again", *now, *now + 1,
                     *before);
}

}  // namespace fermata
