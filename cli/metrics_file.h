// Values of logged steps as JSON lines.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "cli/step_values.h"
#include "fermata/step.h"

namespace fermata::cli {

// One line for each step: {"step":17,"values":{"loss":0.25}}, in the order of the steps. A line is handed to
// the system at once, so that none from before a checkpoint is missing after a crash of the program.
class MetricsFile {
 public:
  // Keeps the lines of an earlier run up to `start_step`, cuts off the later ones and a torn last line, and
  // goes on behind them. Throws: Error for a file that cannot be written, or one that holds anything but such
  // lines; it is left as it is then.
  MetricsFile(std::string path, Step start_step);

  // A step that is not past the last line's, since a session was made anew from a checkpoint, replaces the
  // lines from there on. Throws: Error (system).
  void write(const StepValues& values);

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void cut_after(Step step);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  Step last_step_ = 0;
};

}  // namespace fermata::cli
