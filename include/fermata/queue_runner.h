// Threads that fill a queue while a loop empties it.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/coordinator.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"

namespace fermata {

// One thread of a queue runner. It is started later, or was at once. With a coordinator that one owns the
// thread and joins it; without, the destructor waits for its end (close the session first, if it may wait for
// room in the queue).
class FERMATA_API QueueRunnerThread {
 public:
  ~QueueRunnerThread();
  QueueRunnerThread(QueueRunnerThread&&) noexcept;
  QueueRunnerThread& operator=(QueueRunnerThread&&) noexcept;

  // "QueueRunnerThread-<queue>-<operation>", "QueueRunnerThread-<queue>-close_on_stop".
  [[nodiscard]] const std::string& name() const noexcept;
  // Throws: Misuse for a second start.
  void start();
  [[nodiscard]] bool is_alive() const;
  // Waits until it has ended; at once if it was never started.
  void join();

 private:
  friend class QueueRunner;
  struct State;
  explicit QueueRunnerThread(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// Runs enqueue operations in threads, one each, until their input ends, the coordinator stops or one fails
// (contract QR). Threads: any.
class FERMATA_API QueueRunner {
 public:
  // Where `info` has no close_op or cancel_op and the queue is one of TensorFlow's, they are added to the
  // graph; on other engines nothing is run then. No codes: the end of input (kOutOfRange).
  // Throws: Error kInvalidArgument without a queue or without an operation, kNotFound for one that the graph
  // does not have.
  QueueRunner(Graph& graph, QueueRunnerInfo info);
  ~QueueRunner();

  // A serialized tensorflow.QueueRunnerDef, as graphs carry them: queue and operations by name, and the codes
  // that end the input. A definition without codes means kOutOfRange.
  [[nodiscard]] std::string to_proto() const;
  // The runner that a definition describes. Throws: Error kInvalidArgument for bytes that are none, and as
  // the constructor.
  [[nodiscard]] static std::shared_ptr<QueueRunner> from_proto(Graph& graph, std::string_view definition);

  [[nodiscard]] const QueueRunnerInfo& info() const noexcept;
  // The queue's.
  [[nodiscard]] const std::string& name() const noexcept;

  struct ThreadOptions {
    // Stops the threads, and is told of their errors. Null: errors are kept in exceptions_raised.
    Coordinator* coordinator = nullptr;
    bool start = false;
  };

  // A thread for each operation, and with a coordinator one that cancels pending enqueues when it stops. The
  // last thread whose input has ended closes the queue. Empty if the threads of an earlier call for this
  // session have not all ended, started or not. The session, and the coordinator, must outlive the threads.
  [[nodiscard]] std::vector<QueueRunnerThread> create_threads(Session& session, ThreadOptions options);
  [[nodiscard]] std::vector<QueueRunnerThread> create_threads(Session& session);

  // Errors of threads without a coordinator since the last create_threads that made any.
  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Registers a runner with its graph, so that sessions start it. On a TensorFlow graph its definition also
// goes into the `.meta` files that are written from then on. Throws: Misuse once the graph is finalized.
FERMATA_API void add_queue_runner(Graph& graph, std::shared_ptr<QueueRunner> runner);

// Those that came with the graph, then those that were added.
[[nodiscard]] FERMATA_API std::vector<std::shared_ptr<QueueRunner>> queue_runners_of(Graph& graph);

struct StartQueueRunnersOptions {
  Coordinator* coordinator = nullptr;
  bool start = true;
};

// Makes the threads of all runners of the session's graph. Without runners: a warning in the log and nothing.
FERMATA_API std::vector<QueueRunnerThread> start_queue_runners(Session& session,
                                                               StartQueueRunnersOptions options = {});

}  // namespace fermata
