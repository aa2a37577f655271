// What a session and its plans share: the engine's session, and how it is closed while others use it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/executor_choice.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// Threads: any. The engine's session lives until the last plan is gone.
class SessionCore {
 public:
  // `single`: the whole session uses the single-threaded executor, which is set in `config_proto`.
  // Throws: Error (engine).
  SessionCore(std::shared_ptr<EngineGraph> graph, const std::string& target, const std::string& config_proto,
              Executor executor);
  ~SessionCore();
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  [[nodiscard]] EngineGraph& graph() const noexcept { return *graph_; }
  [[nodiscard]] const FermataPluginApi& api() const noexcept { return graph_->api(); }
  [[nodiscard]] void* handle() const noexcept { return session_; }
  [[nodiscard]] ExecutorChoice& executor() noexcept { return executor_; }
  [[nodiscard]] const ExecutorChoice& executor() const noexcept { return executor_; }

  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  // Ends runs that wait. The second call does nothing.
  void close();

  // A run is under way from the construction of this to its end. Throws: Error kCancelled once closed.
  class Run {
   public:
    explicit Run(SessionCore& session);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    SessionCore& session_;
  };
  void wait_for_runs() const noexcept;

  // The runs that trained, where Fermata counts the steps.
  std::atomic<Step> counted_steps{0};
  // One plan is made at a time.
  std::mutex prepare_mutex;

 private:
  std::shared_ptr<EngineGraph> graph_;
  void* session_;
  std::atomic<bool> closed_{false};
  std::atomic<int> runs_{0};
  ExecutorChoice executor_;
};

}  // namespace fermata::tensorflow
