// Runs what was chosen and prints what came of it.
#pragma once

#include <string>
#include <vector>

namespace fermata::conformance {

struct Choice {
  std::vector<std::string> folders;
  // Ids; empty: all.
  std::vector<std::string> only;
  bool native = true;
  bool tensorflow = true;
  bool verbose = false;
  // Prints what was observed in scenarios that failed, in the form of their `expect`.
  bool show_observed = false;
};

// Returns the exit status: 0 if nothing failed, else 1. Throws: std::exception for what keeps it from
// running.
[[nodiscard]] int run_and_report(const Choice& choice);

}  // namespace fermata::conformance
