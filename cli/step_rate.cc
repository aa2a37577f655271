#include "cli/step_rate.h"

namespace fermata::cli {

void StepRate::add(TimePoint time, Step step) {
  if (!samples_.empty() && step < samples_.back().step) {
    samples_.clear();
  }
  samples_.push_back({time, step});
  while (samples_.size() > 2 && time - samples_[1].time >= window_) {
    samples_.pop_front();
  }
}

std::optional<double> StepRate::steps_per_second() const {
  if (samples_.size() < 2 || samples_.back().time == samples_.front().time) {
    return std::nullopt;
  }
  const double seconds = std::chrono::duration<double>(samples_.back().time - samples_.front().time).count();
  return static_cast<double>(samples_.back().step - samples_.front().step) / seconds;
}

}  // namespace fermata::cli
