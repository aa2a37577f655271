// The log of a scenario, with messages whose wording is no promise as one word.
#pragma once

#include <string>
#include <vector>

#include "conformance/json.h"
#include "conformance/world.h"
#include "fermata/testkit/log_capture.h"

namespace fermata::conformance {

// Captures the log while it lives.
class LogWords {
 public:
  // "INFO loss = 0.25", "WARNING nan_loss".
  [[nodiscard]] Json lines(const World& world) const;

 private:
  testkit::LogCapture capture_;
};

}  // namespace fermata::conformance
