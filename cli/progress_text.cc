#include "cli/progress_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text.h"

namespace fermata::cli {
namespace {

constexpr std::size_t kBarCells = 24;

std::string step_text(const ProgressState& state) {
  return state.target ? fmt::format("step {}/{}", state.step, *state.target)
                      : fmt::format("step {}", state.step);
}

std::string speed_text(const ProgressState& state) {
  std::string text;
  if (state.steps_per_second) {
    text += "  " + rate_text(*state.steps_per_second);
  }
  if (const std::optional<double> left = seconds_left(state)) {
    text += "  " + time_text(*left) + " left";
  }
  return text;
}

double share_done(const ProgressState& state) {
  const Step all = *state.target - state.start;
  const double share =
      all > 0 ? static_cast<double>(state.step - state.start) / static_cast<double>(all) : 1.0;
  return std::clamp(share, 0.0, 1.0);
}

std::string cells(double share) {
  const auto full = static_cast<std::size_t>(share * kBarCells);
  std::string text(full, '=');
  if (full < kBarCells) {
    text += '>';
  }
  text.resize(kBarCells, ' ');
  return fmt::format(" [{}] {:3.0f}%", text, share * 100);
}

// Cuts between characters of UTF-8, never inside one.
std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) {
    return text;
  }
  while (width > 0 && (static_cast<unsigned char>(text[width]) & 0xC0) == 0x80) {
    --width;
  }
  text.resize(width);
  return text;
}

}  // namespace

std::optional<double> seconds_left(const ProgressState& state) {
  std::optional<double> left = state.seconds_to_deadline;
  if (state.target && state.steps_per_second && *state.steps_per_second > 0) {
    const double to_target = static_cast<double>(*state.target - state.step) / *state.steps_per_second;
    left = std::min(left.value_or(to_target), to_target);
  }
  return left;
}

std::string progress_line(const ProgressState& state) {
  const std::string values = state.values.empty() ? std::string() : "  " + state.values;
  return step_text(state) + values + speed_text(state);
}

std::string progress_bar(const ProgressState& state, std::size_t width) {
  std::string text = step_text(state);
  if (state.target) {
    text += cells(share_done(state));
  }
  text += speed_text(state);
  if (!state.values.empty()) {
    text += "  " + state.values;
  }
  return cut(std::move(text), width);
}

}  // namespace fermata::cli
