#include "fermata/clock.h"

namespace fermata {
namespace {

class SystemClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] WallTime wall_now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

Clock::~Clock() = default;

bool Clock::pause(std::chrono::nanoseconds time, const std::function<bool(std::chrono::nanoseconds)>& wait) {
  return wait(time);
}

std::shared_ptr<Clock> Clock::system() {
  static const auto clock = std::make_shared<SystemClock>();
  return clock;
}

}  // namespace fermata
