// A session of TensorFlow, shared by its plans.
#pragma once

#include <memory>
#include <mutex>

#include "engines/plugin_abi.h"
#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

// TensorFlow's session must not be deleted while a run is under way or a plan of it is kept. So it lives
// until the core has deleted both it and all of its plans; the core deletes no plan that runs. Threads: every
// function may be called from any thread.
class Session {
 public:
  // Throws: Failure, also for a graph that TensorFlow refuses as a whole.
  Session(TF_Graph* graph, const char* target, const void* config_proto, size_t config_bytes);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Hands nodes added since to the running session. Throws: Failure.
  void extend();

  // Throws: Failure.
  void close();

  [[nodiscard]] TF_Session* get() const noexcept { return session_; }
  [[nodiscard]] TF_Graph* graph() const noexcept { return graph_; }
  [[nodiscard]] bool in_process() const noexcept { return in_process_; }

  // True if some operation of the graph hands out a reference to a variable: values that are fetched may then
  // lie in a variable's own memory, whatever the type of the fetched output.
  [[nodiscard]] bool has_references();

 private:
  TF_Graph* const graph_;
  const bool in_process_;
  TF_Session* session_ = nullptr;
  std::mutex mutex_;
  size_t looked_at_ = 0;  // guarded by mutex_, as is the next
  bool has_references_ = false;
};

void add_session_functions(FermataPluginApi& api);

// What the core holds as a session.
using SessionHandle = std::shared_ptr<Session>;

}  // namespace fermata::tensorflow_plugin
