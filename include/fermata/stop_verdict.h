// Why a run ended.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

enum class StopReason {
  kTargetReached,    // the step asked for was reached by a run
  kAlreadyAtTarget,  // the restored step was already there: no step was run
  kEndOfInput,       // OUT_OF_RANGE or StopIteration
  kRequested,        // a hook, the caller or another thread asked
  kSignal,           // SIGINT or SIGTERM
  kDeadline,         // a time limit
  kFailure,          // an error
};

// "target_reached", "already_at_target", "end_of_input", "requested", "signal", "deadline", "failure".
[[nodiscard]] FERMATA_API std::string_view stop_reason_name(StopReason reason) noexcept;

// A wish to stop: the reason, who has it, in which words.
struct StopRequest {
  StopReason reason = StopReason::kRequested;
  std::string by;
  std::string message;
  int signal = 0;  // for kSignal
};

// The cause of the end as a value. The first cause wins; what failed later is attached.
struct FERMATA_API StopVerdict {
  // Absent until it is known: a run that was closed without any cause has kRequested by "close".
  StopReason reason = StopReason::kRequested;
  std::optional<Step> step;  // the last step that is known; absent for a graph without one
  std::string by;            // name of the hook, "caller", "signal", "engine"
  std::string message;
  int signal = 0;
  std::exception_ptr error;               // for kFailure
  std::vector<std::string> later_errors;  // one sentence each
  std::string restored_from;              // checkpoint the last session started from; empty: none
  std::vector<std::string> notes;         // e.g. a damaged checkpoint that was passed over

  [[nodiscard]] bool failed() const noexcept { return reason == StopReason::kFailure; }
  // One sentence: "target reached at step 10000 (StopAtStepHook)".
  [[nodiscard]] std::string to_string() const;
  // 0 for a clean end, 130 and 143 for signals, else by the kind of failure: see `fermata help exit-codes`.
  [[nodiscard]] int exit_code() const noexcept;
};

// Exit codes of the program, one table for the program and for to-be scripts.
struct ExitCode {
  int code;
  std::string_view meaning;
};
[[nodiscard]] FERMATA_API const std::vector<ExitCode>& exit_codes();
// The code for an error that ends a program: 2 wrong usage, others by kind.
[[nodiscard]] FERMATA_API int exit_code_for(const std::exception_ptr& error) noexcept;

}  // namespace fermata
