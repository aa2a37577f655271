#include "fermata/stop_verdict.h"

#include <fmt/format.h>

#include "fermata/error.h"

namespace fermata {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailure = 1;
constexpr int kExitData = 3;
constexpr int kExitSystem = 4;
constexpr int kExitEngine = 5;
constexpr int kExitNan = 6;
constexpr int kExitMissing = 7;

std::string_view reason_words(StopReason reason) {
  switch (reason) {
    case StopReason::kTargetReached:
      return "target reached";
    case StopReason::kAlreadyAtTarget:
      return "already at the target";
    case StopReason::kEndOfInput:
      return "end of input";
    case StopReason::kRequested:
      return "stop requested";
    case StopReason::kSignal:
      return "stopped by a signal";
    case StopReason::kDeadline:
      return "time limit reached";
    case StopReason::kFailure:
      return "failed";
  }
  return "ended";
}

int code_for(const Error& error) {
  if (dynamic_cast<const NanLossError*>(&error) != nullptr) {
    return kExitNan;
  }
  if (error.code() == Code::kDataLoss) {
    return kExitData;
  }
  switch (error.source()) {
    case ErrorSource::kCaller:
      return error.code() == Code::kUnimplemented ? kExitMissing : kExitUsage;
    case ErrorSource::kSystem:
      return error.code() == Code::kUnimplemented ? kExitMissing : kExitSystem;
    case ErrorSource::kEngine:
      return kExitEngine;
  }
  return kExitFailure;
}

}  // namespace

std::string_view stop_reason_name(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::kTargetReached:
      return "target_reached";
    case StopReason::kAlreadyAtTarget:
      return "already_at_target";
    case StopReason::kEndOfInput:
      return "end_of_input";
    case StopReason::kRequested:
      return "requested";
    case StopReason::kSignal:
      return "signal";
    case StopReason::kDeadline:
      return "deadline";
    case StopReason::kFailure:
      return "failure";
  }
  return "unknown";
}

std::string StopVerdict::to_string() const {
  std::string text(reason_words(reason));
  if (step) {
    text += fmt::format(" at step {}", *step);
  }
  if (!by.empty()) {
    text += fmt::format(" ({})", by);
  }
  const std::string words = failed() && error ? describe(error) : message;
  if (!words.empty()) {
    text += ": " + words;
  }
  return text;
}

int StopVerdict::exit_code() const noexcept {
  if (reason == StopReason::kSignal) {
    return 128 + signal;
  }
  return failed() ? exit_code_for(error) : 0;
}

const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> codes = {
      {0, "done: the target was reached (or had been), the input ended, or a stop was asked for"},
      {kExitFailure, "an error of a kind that has no code of its own"},
      {kExitUsage, "wrong usage: options, names, shapes or files that do not fit"},
      {kExitData, "saved data is damaged and nothing whole is left"},
      {kExitSystem, "a file, a folder or the disk could not be used, or a checkpoint is of another graph"},
      {kExitEngine, "the graph failed while it ran"},
      {kExitNan, "a logged value became NaN and --on-nan fail was given"},
      {kExitMissing, "something that is needed is missing: TensorFlow's library, a part that was not built"},
      {130, "ended by SIGINT, after a last checkpoint"},
      {143, "ended by SIGTERM, after a last checkpoint"},
  };
  return codes;
}

int exit_code_for(const std::exception_ptr& error) noexcept {
  if (!error) {
    return kExitFailure;
  }
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return code_for(e);
  } catch (...) {
    return kExitFailure;
  }
}

}  // namespace fermata
