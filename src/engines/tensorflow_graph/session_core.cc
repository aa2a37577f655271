#include "engines/tensorflow_graph/session_core.h"

#include <utility>

#include "core/log_made.h"
#include "engines/tensorflow_graph/engine_error.h"
#include "fermata/error.h"

namespace fermata::tensorflow {

SessionCore::SessionCore(std::shared_ptr<EngineGraph> graph, const std::string& target,
                         const std::string& config_proto, Executor executor)
    : graph_(std::move(graph)), executor_(executor) {
  FermataStatus status{};
  session_ =
      api().session_new(graph_->handle(), target.c_str(), config_proto.data(), config_proto.size(), &status);
  check(status, "opening a session");
}

SessionCore::~SessionCore() {
  try {
    close();
  } catch (...) {
    log_made(LogLevel::kWarning, [] { return "closing a session: " + describe(std::current_exception()); });
  }
  api().session_delete(session_);
}

void SessionCore::close() {
  if (closed_.exchange(true, std::memory_order_acq_rel)) {
    return;
  }
  FermataStatus status{};
  api().session_close(session_, &status);
  check(status, "closing a session");
}

SessionCore::Run::Run(SessionCore& session) : session_(session) {
  session_.runs_.fetch_add(1, std::memory_order_acq_rel);
  if (session_.closed()) {
    session_.runs_.fetch_sub(1, std::memory_order_acq_rel);
    throw Error(Code::kCancelled, "the session is closed and runs nothing more", ErrorSource::kEngine);
  }
}

SessionCore::Run::~Run() {
  if (session_.runs_.fetch_sub(1, std::memory_order_acq_rel) == 1 && session_.closed()) {
    session_.runs_.notify_all();
  }
}

void SessionCore::wait_for_runs() const noexcept {
  for (int runs = runs_.load(); runs != 0; runs = runs_.load()) {
    runs_.wait(runs);
  }
}

}  // namespace fermata::tensorflow
