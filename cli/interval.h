// Steps or time, as an option of the command line gives it.
#pragma once

#include "fermata/step.h"

namespace fermata::cli {

class Interval {
 public:
  enum class Kind { kSteps, kSeconds };
  [[nodiscard]] static Interval steps(Step steps) {
    return Interval(Kind::kSteps, static_cast<double>(steps));
  }
  [[nodiscard]] static Interval seconds(double seconds) { return Interval(Kind::kSeconds, seconds); }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  Interval(Kind kind, double value) : kind_(kind), value_(value) {}
  Kind kind_;
  double value_;
};

}  // namespace fermata::cli
