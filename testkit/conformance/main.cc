// fermata-conformance: runs recorded scenarios of the reference system against Fermata.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "conformance/report.h"

namespace {

int run(const fermata::conformance::Choice& choice) {
  try {
    return fermata::conformance::run_and_report(choice);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fermata-conformance: %s\n", error.what());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs recorded scenarios of the reference system against Fermata.", "fermata-conformance");
  fermata::conformance::Choice choice;
  std::string engine = "both";
  app.add_option("DIR", choice.folders, "Folders with scenarios: *.json, and graphs/ for TensorFlow.")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--engine", engine, "Which engine runs them.")
      ->check(CLI::IsMember({"native", "tensorflow", "both"}))
      ->capture_default_str();
  app.add_option("--only", choice.only, "Runs only the scenarios of these ids.");
  app.add_flag("--verbose", choice.verbose, "Also names each scenario that passes, and what it deviates by.");
  app.add_flag("--show-observed", choice.show_observed,
               "Prints what was observed in each scenario that failed, in the form of its `expect`.");
  CLI11_PARSE(app, argc, argv);
  choice.native = engine != "tensorflow";
  choice.tensorflow = engine != "native";
  return run(choice);
}
