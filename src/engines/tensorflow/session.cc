#include "engines/tensorflow/session.h"

#include "engines/tensorflow/dtype_names.h"
#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/runtime.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

SessionOptionsHandle make_options(const char* target, const void* config_proto, size_t config_bytes) {
  SessionOptionsHandle options(TF_NewSessionOptions());
  if (target != nullptr) TF_SetTarget(options.get(), target);
  if (config_bytes > 0) {
    const StatusHandle result = new_status();
    TF_SetConfig(options.get(), config_proto, config_bytes, result.get());
    check(result.get());
  }
  return options;
}

TF_Session* open(TF_Graph* graph, const TF_SessionOptions* options) {
  const StatusHandle result = new_status();
  TF_Session* const session = TF_NewSession(graph, options, result.get());
  check(result.get());
  return session;
}

bool hands_out_reference(TF_Operation* operation) {
  const int outputs = TF_OperationNumOutputs(operation);
  for (int i = 0; i < outputs; ++i) {
    if (is_reference(TF_OperationOutputType(TF_Output{operation, i}))) return true;
  }
  return false;
}

void* session_new(void* graph, const char* target, const void* config_proto, uint64_t size,
                  FermataStatus* status) {
  return guarded(status, [&]() -> void* {
    return new SessionHandle(std::make_shared<Session>(as_graph(graph), target, config_proto, size));
  });
}

void session_extend(void* session, FermataStatus* status) {
  guarded(status, [&] { (*static_cast<SessionHandle*>(session))->extend(); });
}

void session_close(void* session, FermataStatus* status) {
  guarded(status, [&] { (*static_cast<SessionHandle*>(session))->close(); });
}

void session_delete(void* session) {
  if (session == nullptr) return;
  const std::unique_ptr<SessionHandle> handle(static_cast<SessionHandle*>(session));
  // Plans may keep it for a while: what waits in it ends now.
  FermataStatus status;
  session_close(session, &status);
  if (status.code != 0) log_warning(status.message);
}

}  // namespace

Session::Session(TF_Graph* graph, const char* target, const void* config_proto, size_t config_bytes)
    : graph_(graph), in_process_(target == nullptr || *target == '\0') {
  session_ = open(graph, make_options(target, config_proto, config_bytes).get());
  try {
    extend();
  } catch (...) {
    TF_DeleteSession(session_, new_status().get());
    throw;
  }
}

Session::~Session() {
  const StatusHandle result = new_status();
  TF_DeleteSession(session_, result.get());
  if (TF_GetCode(result.get()) != TF_OK) log_warning(TF_Message(result.get()));
}

void Session::extend() {
  // From the first explicit call on, TensorFlow does not look for new nodes in each run.
  const StatusHandle result = new_status();
  TF_ExtendSession(session_, result.get());
  check(result.get());
}

void Session::close() {
  const StatusHandle result = new_status();
  TF_CloseSession(session_, result.get());
  check(result.get());
}

bool Session::has_references() {
  const std::lock_guard lock(mutex_);
  // A graph only grows, and the position TensorFlow counts with is good for going on later.
  while (TF_Operation* const operation = TF_GraphNextOperation(graph_, &looked_at_)) {
    has_references_ = has_references_ || hands_out_reference(operation);
  }
  return has_references_;
}

void add_session_functions(FermataPluginApi& api) {
  api.session_new = session_new;
  api.session_extend = session_extend;
  api.session_close = session_close;
  api.session_delete = session_delete;
}

}  // namespace fermata::tensorflow_plugin
