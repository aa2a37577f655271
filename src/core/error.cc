#include "fermata/error.h"

#include <fmt/format.h>

#include <array>

namespace fermata {
namespace {

constexpr std::array kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

}  // namespace

std::string code_name(Code code) {
  const auto number = static_cast<std::size_t>(code);
  return number < kNames.size() ? kNames[number] : fmt::format("CODE {}", static_cast<int>(code));
}

Error::Error(Code code, const std::string& message, ErrorSource source)
    : std::runtime_error(message), code_(code), source_(source) {}
Error::~Error() = default;

Misuse::Misuse(const std::string& message)
    : Error(Code::kFailedPrecondition, message, ErrorSource::kCaller) {}
Misuse::~Misuse() = default;

NanLossError::NanLossError(const std::string& message)
    : Error(Code::kInvalidArgument, message, ErrorSource::kEngine) {}
NanLossError::~NanLossError() = default;

StopIteration::StopIteration(const std::string& message)
    : Error(Code::kOutOfRange, message, ErrorSource::kCaller) {}
StopIteration::~StopIteration() = default;

Interrupted::Interrupted(const std::string& message)
    : Error(Code::kCancelled, message, ErrorSource::kCaller) {}
Interrupted::~Interrupted() = default;

bool is_interrupted(const std::exception_ptr& error) noexcept {
  try {
    if (error) {
      std::rethrow_exception(error);
    }
  } catch (const Interrupted&) {
    return true;
  } catch (...) {
    return false;
  }
  return false;
}

std::optional<Code> code_of(const std::exception_ptr& error) noexcept {
  if (!error) {
    return std::nullopt;
  }
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.code();
  } catch (...) {
    return std::nullopt;
  }
}

bool is_end_of_input(const std::exception_ptr& error) noexcept { return code_of(error) == Code::kOutOfRange; }

bool is_preemption(const std::exception_ptr& error) noexcept {
  const std::optional<Code> code = code_of(error);
  return code == Code::kAborted || code == Code::kUnavailable;
}

std::string describe(const std::exception_ptr& error) {
  if (!error) {
    return "no error";
  }
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace fermata
