// The command `fermata train`.
#include <csignal>
#include <exception>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/process_start.h"
#include "cli/report.h"
#include "cli/screen.h"
#include "cli/train_options.h"
#include "cli/trainer.h"
#include "cli/whole_file.h"
#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata::cli {
namespace {

// A run that failed has the report of a failure, whatever it was at when it failed.
void note_failure(Report& report, const std::exception_ptr& error) {
  report.verdict.reason = StopReason::kFailure;
  report.verdict.error = error;
}

// A report that cannot be written must not hide why the run failed.
void write_report(const TrainOptions& options, Report& report, const std::exception_ptr& error) {
  if (options.report_file.empty()) {
    return;
  }
  report.seconds = seconds_since_start();
  try {
    write_whole_file(options.report_file, report_text(report, options));
  } catch (const Error& failure) {
    if (!error) {
      throw;
    }
    log(LogLevel::kError, failure.what());
  }
}

}  // namespace

int run_train(const std::vector<std::string>& args) {
  const std::optional<TrainOptions> options = parse_train_options(args);
  if (!options) {
    return 0;
  }
  // A reader of the output that goes away must not end the training.
  std::signal(SIGPIPE, SIG_IGN);
  if (options->verbose) {
    set_log_level(LogLevel::kDebug);
  }
  const auto screen = std::make_shared<Screen>(options->quiet);
  const LogToScreen messages(screen);
  Report report;
  std::exception_ptr error;
  try {
    train(*options, screen, report);
  } catch (...) {
    error = std::current_exception();
    note_failure(report, error);
  }
  write_report(*options, report, error);
  if (error) {
    std::rethrow_exception(error);
  }
  return report.verdict.exit_code();
}

}  // namespace fermata::cli
