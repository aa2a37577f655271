// What goes wrong, as one family of exceptions with the status codes of TensorFlow and gRPC.
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fermata/export.h"

namespace fermata {

// Status codes; the numbers are those of TF_Code (tensorflow/c/tsl_status.h) and of gRPC.
enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT" and so on; "CODE 99" for a number that has no name.
[[nodiscard]] FERMATA_API std::string code_name(Code code);

// Who made the mistake. A wrong argument of the caller and INVALID_ARGUMENT from a step that runs are
// different things.
enum class ErrorSource { kCaller, kEngine, kSystem };

// The base of all errors that Fermata itself throws. The text is one sentence: where, what was expected, what
// was found, what to do. A user's own exceptions are never converted to it.
class FERMATA_API Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message, ErrorSource source = ErrorSource::kCaller);
  ~Error() override;

  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] ErrorSource source() const noexcept { return source_; }

 private:
  Code code_;
  ErrorSource source_;
};

// A call at the wrong time: after close, a step without a global step, a second feed of one tensor.
// Code: kFailedPrecondition, source: kCaller.
class FERMATA_API Misuse : public Error {
 public:
  explicit Misuse(const std::string& message);
  ~Misuse() override;
};

// Thrown by NanTensorHook and by `--on-nan fail`. Code: kInvalidArgument, source: kEngine.
class FERMATA_API NanLossError : public Error {
 public:
  explicit NanLossError(const std::string& message);
  ~NanLossError() override;
};

// Thrown by a user's code (an input that is used up) to end the loop cleanly. Code: kOutOfRange.
class FERMATA_API StopIteration : public Error {
 public:
  explicit StopIteration(const std::string& message = "end of input");
  ~StopIteration() override;
};

// Thrown by a wait that a stop request has ended: for a chief, for a checkpoint, for a step. Code:
// kCancelled, source: kCaller. A loop that is told to stop ends cleanly by it.
class FERMATA_API Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& message);
  ~Interrupted() override;
};

// True for Interrupted.
[[nodiscard]] FERMATA_API bool is_interrupted(const std::exception_ptr& error) noexcept;

// True for the errors that mean "the input is used up": StopIteration, and any Error with kOutOfRange.
// Fermata never uses kOutOfRange for a wrong argument.
[[nodiscard]] FERMATA_API bool is_end_of_input(const std::exception_ptr& error) noexcept;

// True for the errors after which a monitored session makes a new session and tries again: an Error with
// kAborted or kUnavailable. A session's RecoveryPolicy may name others instead.
[[nodiscard]] FERMATA_API bool is_preemption(const std::exception_ptr& error) noexcept;

// The text of any exception; "unknown error" for what is not a std::exception.
[[nodiscard]] FERMATA_API std::string describe(const std::exception_ptr& error);

// The code of an Error, nothing for other exceptions.
[[nodiscard]] FERMATA_API std::optional<Code> code_of(const std::exception_ptr& error) noexcept;

}  // namespace fermata
