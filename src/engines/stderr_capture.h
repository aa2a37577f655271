// Catches what libraries write to stderr while they are loaded.
#pragma once

#include <string>

namespace fermata::tensorflow {

// From construction to finish() what the process writes to file descriptor 2 goes into memory. If that cannot
// be set up, nothing is caught. Threads: one such object at a time; other threads' lines are caught as well.
class StderrCapture {
 public:
  StderrCapture() noexcept;
  ~StderrCapture();
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  // Puts stderr back and returns what was written; empty at the second call.
  [[nodiscard]] std::string finish() noexcept;

 private:
  int memory_ = -1;
  int original_ = -1;
};

// What is left of caught text without the lines that TensorFlow writes at each start.
[[nodiscard]] std::string without_startup_lines(const std::string& text);

}  // namespace fermata::tensorflow
