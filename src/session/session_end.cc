#include "session/session_end.h"

#include <string>
#include <utility>

#include "core/log_made.h"
#include "fermata/error.h"

namespace fermata {

StopVerdict make_verdict(StopRequest cause, const ErrorList& errors, const std::exception_ptr& run_error) {
  StopVerdict made;
  made.reason = cause.reason;
  made.by = std::move(cause.by);
  made.message = std::move(cause.message);
  made.signal = cause.signal;
  if (errors.first() || cause.reason == StopReason::kFailure) {
    made.reason = StopReason::kFailure;
    made.error = errors.first() ? errors.first() : run_error;
    made.message = describe(made.error);
    made.by.clear();
  }
  made.later_errors = errors.later();
  return made;
}

StopVerdict short_verdict(const StopRequest& cause, const ErrorList& errors,
                          const std::exception_ptr& run_error) noexcept {
  StopVerdict made;
  made.reason = errors.first() ? StopReason::kFailure : cause.reason;
  made.signal = cause.signal;
  if (made.reason == StopReason::kFailure) {
    made.error = errors.first() ? errors.first() : run_error;
  }
  return made;
}

void tell_finished(std::span<const NamedHook> hooks, StopVerdict& verdict) noexcept {
  ErrorList failures;
  for (const NamedHook& hook : hooks) {
    try {
      hook.hook->finished(verdict);
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      failures.add_later([&] { return hook.name + ": " + describe(error); });
    }
  }
  for (const std::string& later : failures.later()) {
    log_made(LogLevel::kError, [&] { return "a hook failed when it was told of the end: " + later; });
    failures.guard([&] { verdict.later_errors.push_back(later); });
  }
}

}  // namespace fermata
