#include "fermata/monitored_session.h"

#include <exception>
#include <utility>

#include "core/log_made.h"
#include "fermata/error.h"
#include "session/monitored_session_impl.h"

namespace fermata {
namespace {

[[noreturn]] void fail_moved() {
  throw Misuse("a monitored session was called after it had been moved from; call the one it became");
}

// Of a session that was not moved from.
template <typename Impl>
Impl& held(const std::unique_ptr<Impl>& impl) {
  if (impl == nullptr) [[unlikely]] {
    fail_moved();
  }
  return *impl;
}

}  // namespace

MonitoredSession::MonitoredSession(Graph& graph) : MonitoredSession(graph, Options{}) {}

MonitoredSession::MonitoredSession(Graph& graph, Options options)
    : MonitoredSession(graph, std::move(options), Preemptions::kRecovered) {}

MonitoredSession::MonitoredSession(Graph& graph, Options options, Preemptions preemptions)
    : impl_(std::make_unique<Impl>(graph, std::move(options), preemptions)) {
  impl_->start();
}

MonitoredSession::MonitoredSession(MonitoredSession&&) noexcept = default;

MonitoredSession& MonitoredSession::operator=(MonitoredSession&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

MonitoredSession::~MonitoredSession() {
  if (!impl_ || impl_->verdict) {
    return;
  }
  if (std::uncaught_exceptions() > impl_->exceptions_at_start) {
    impl_->abort(impl_->run_error);
    return;
  }
  try {
    impl_->close();
  } catch (...) {
    log_made(LogLevel::kError, [] {
      return "a session that was not closed failed to close: " + describe(std::current_exception());
    });
  }
}

ResultsView MonitoredSession::run(const SessionRunArgs& args) { return held(impl_).run(args); }

ResultsView MonitoredSession::run_without_hooks(const SessionRunArgs& args) {
  return held(impl_).run_without_hooks(args);
}

void MonitoredSession::call_step_fn(const std::function<void(StepContext&)>& step_fn) {
  held(impl_).call_step_fn(step_fn);
}

bool MonitoredSession::should_stop() { return held(impl_).should_stop(); }

void MonitoredSession::request_stop(std::string message, StopReason reason) {
  held(impl_).causes.outside().request({reason, "caller", std::move(message), 0});
}

StopVerdict MonitoredSession::run_until_stopped(const std::function<void()>& body) {
  Impl& impl = held(impl_);
  try {
    while (!should_stop()) {
      body();
    }
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    if (is_end_of_input(error)) {
      impl.note_end_of_input(error);
    } else if (!impl.is_wanted_end(error)) {
      // A session that the body has closed has nothing to add.
      const bool was_open = !impl.verdict;
      const std::exception_ptr first = impl.abort(error).error;
      std::rethrow_exception(was_open && first ? first : error);
    }
  }
  return close();
}

StopVerdict MonitoredSession::close() { return held(impl_).close(); }

StopVerdict MonitoredSession::abort(std::exception_ptr error) { return held(impl_).abort(std::move(error)); }

const std::optional<StopVerdict>& MonitoredSession::verdict() const noexcept {
  static const std::optional<StopVerdict> kNone;
  return impl_ ? impl_->verdict : kNone;
}

std::optional<Step> MonitoredSession::step() const noexcept {
  return impl_ ? impl_->current_step() : std::nullopt;
}

std::optional<Step> MonitoredSession::start_step() const noexcept {
  return impl_ ? impl_->start_step : std::nullopt;
}

const std::string& MonitoredSession::restored_from() const noexcept {
  static const std::string kNone;
  return impl_ ? impl_->restored_from : kNone;
}

std::int64_t MonitoredSession::runs() const noexcept { return impl_ ? impl_->runs : 0; }

Graph* MonitoredSession::graph() const noexcept { return impl_ && !impl_->verdict ? &impl_->graph : nullptr; }

Session* MonitoredSession::raw_session() const noexcept {
  return impl_ && impl_->live ? &impl_->live->session() : nullptr;
}

}  // namespace fermata
