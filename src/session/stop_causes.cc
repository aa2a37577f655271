#include "session/stop_causes.h"

#include <fmt/format.h>

#include "fermata/error.h"
#include "fermata/stop_on_signal.h"

namespace fermata {

void StopCauses::note(const StopRequest& request) {
  if (!first_) {
    first_ = request;
  }
}

void StopCauses::look(const Coordinator* coordinator, bool signals_watched) {
  if (const std::optional<StopRequest> request = outside_.get()) {
    note(*request);
  }
  if (const int signal = StopOnSignal::received(); signal != 0 && signals_watched) {
    note({StopReason::kSignal, "signal", fmt::format("signal {}", signal), signal});
  }
  if (coordinator != nullptr && coordinator->should_stop()) {
    const std::optional<StopRequest> request = coordinator->stop_request();
    note(request ? *request
                 : StopRequest{StopReason::kRequested, "coordinator", "a thread asked to stop", 0});
  }
}

StopRequest StopCauses::first(const std::exception_ptr& last_run_error) const {
  if (first_) {
    return *first_;
  }
  if (!last_run_error) {
    return {StopReason::kRequested, "close", "closed by the caller", 0};
  }
  return {is_end_of_input(last_run_error) ? StopReason::kEndOfInput : StopReason::kFailure, "engine",
          describe(last_run_error), 0};
}

StopRequest StopCauses::first_without_words(const std::exception_ptr& last_run_error) const noexcept {
  StopRequest essence;
  if (first_) {
    essence.reason = first_->reason;
    essence.signal = first_->signal;
  } else if (last_run_error) {
    essence.reason = is_end_of_input(last_run_error) ? StopReason::kEndOfInput : StopReason::kFailure;
  }
  return essence;
}

}  // namespace fermata
