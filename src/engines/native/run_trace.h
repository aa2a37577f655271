// Which callables a run called, and how long each took.
#pragma once

#include <string>
#include <vector>

#include "fermata/clock.h"

namespace fermata::native {

class RunTrace {
 public:
  explicit RunTrace(const Clock& clock) : clock_(clock) {}

  void begin() { begun_ = clock_.now(); }
  // `label` is "name = type(inputs)".
  void end(const std::string& name, std::string label);

  // A serialized tensorflow.RunMetadata, as TensorBoard reads it.
  [[nodiscard]] std::string serialized() const;

 private:
  struct Entry {
    std::string name;
    std::string label;
    Clock::TimePoint begun;
    Clock::TimePoint ended;
  };
  const Clock& clock_;
  Clock::TimePoint begun_;
  std::vector<Entry> entries_;
};

}  // namespace fermata::native
