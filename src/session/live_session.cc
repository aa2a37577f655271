#include "session/live_session.h"

#include "core/log_made.h"
#include "fermata/error.h"
#include "fermata/queue_runner.h"

namespace fermata {
namespace {

void log_error_of_close(const char* what, const std::exception_ptr& error) noexcept {
  log_made(LogLevel::kError, [&] { return std::string(what) + ": " + describe(error); });
}

}  // namespace

// No error counts as a clean stop here: an end of input in a thread is told to the caller, as in the
// reference.
LiveSession::LiveSession(SessionCreator& creator, const CreationRequest& request,
                         const std::vector<NamedHook>& hooks, std::chrono::nanoseconds grace)
    : created_(creator.create_session(request)),
      coordinator_({.clean_stop = [](const std::exception_ptr&) { return false; }}),
      from_caller_(request.stop, [this] { stop_.request_stop(); }),
      from_coordinator_(coordinator_.stop_token(), [this] { stop_.request_stop(); }) {
  try {
    introduce(hooks);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    ErrorList later;
    shut(later, grace, {});
    std::rethrow_exception(error);
  }
}

void LiveSession::introduce(const std::vector<NamedHook>& hooks) {
  session().set_run_state_source([&hooks] { return states_of(hooks); });
  if (!restored_from().empty()) {
    load_states(hooks, restored_from());
  }
  hooked_.emplace(session(), hooks);
  hooked_->set_stop_token(stop_.get_token());
  if (session().graph().has_global_step()) {
    hooked_->set_step(session().read_step());
  }
  if (session().graph().has_queue_runners()) {
    start_queue_runners(session(), {.coordinator = &coordinator_});
  }
  for (const NamedHook& hook : hooks) {
    hook.hook->after_create_session(session(), &coordinator_);
  }
}

void LiveSession::shut(ErrorList& errors, std::chrono::nanoseconds grace,
                       const ErrorPredicate& only_logged) noexcept {
  ErrorList of_threads;
  of_threads.guard([&] {
    coordinator_.request_stop();
    coordinator_.join(grace, true);
  });
  errors.guard([&] {
    const std::exception_ptr& error = of_threads.first();
    if (error && only_logged && only_logged(error)) {
      log_error_of_close("a thread lost its session, which is being closed anyway", error);
    } else if (error) {
      errors.add(error);
    }
    for (const std::string& later : coordinator_.later_errors()) {
      errors.add_later([&] { return later; });
    }
  });
  try {
    session().close();
  } catch (...) {
    log_error_of_close("a session could not be closed", std::current_exception());
  }
}

}  // namespace fermata
