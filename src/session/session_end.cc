#include "session/session_end.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"

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

void tell_finished(std::span<const NamedHook> hooks, StopVerdict& verdict) {
  const StopVerdict told = verdict;
  for (const NamedHook& hook : hooks) {
    try {
      hook.hook->finished(told);
    } catch (...) {
      verdict.later_errors.push_back(fmt::format("{}: {}", hook.name, describe(std::current_exception())));
      log(LogLevel::kError,
          fmt::format("a hook failed when it was told of the end: {}", verdict.later_errors.back()));
    }
  }
}

}  // namespace fermata
