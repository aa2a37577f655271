// Progress in words: the bar of a terminal and the lines elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "fermata/step.h"

namespace fermata::cli {

struct ProgressState {
  Step step = 0;
  // Where the run started and where it will stop, if that is known.
  Step start = 0;
  std::optional<Step> target;
  std::optional<double> steps_per_second;
  // Until a time limit.
  std::optional<double> seconds_to_deadline;
  // "loss 0.25  accuracy 0.5"
  std::string values;
};

// The nearer of target and time limit; nothing if neither is known.
[[nodiscard]] std::optional<double> seconds_left(const ProgressState& state);

// "step 500/2000  loss 0.25  812 steps/s  2 s left"
[[nodiscard]] std::string progress_line(const ProgressState& state);

// "step 500/2000 [=====>          ]  25%  812 steps/s  2 s left  loss 0.25", at most `width` characters.
[[nodiscard]] std::string progress_bar(const ProgressState& state, std::size_t width);

}  // namespace fermata::cli
