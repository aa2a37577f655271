#include "fermata/queue_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "coordination/thread_end.h"
#include "core/log_made.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "wire/attr_value.h"
#include "wire/malformed.h"
#include "wire/meta_graph.h"

namespace fermata {
namespace {

// The collection of a graph's runners.
constexpr std::string_view kDefinitions = "queue_runners";

// Closing a queue may fail because it is closed, or the session is: neither matters any more.
void run_quietly(Session& session, const std::string& operation) noexcept {
  if (operation.empty()) {
    return;
  }
  try {
    static_cast<void>(session.run(SessionRunArgs({operation})));
  } catch (...) {
    log_made(LogLevel::kDebug, [&] {
      return fmt::format("'{}' of a queue failed: {}", operation, describe(std::current_exception()));
    });
  }
}

std::string free_name(const Graph& graph, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; graph.find_operation(name); ++i) {
    name = fmt::format("{}_{}", wanted, i);
  }
  return name;
}

// The operation that closes one of TensorFlow's queues; empty for a queue of another kind.
std::string make_close(Graph& graph, const std::string& queue, bool cancel) {
  const std::optional<Operation> found = graph.find_operation(queue);
  const std::string type = found ? graph.operation_type(found->node) : std::string();
  const bool second = type.ends_with("QueueV2");
  if (!second && !type.ends_with("Queue")) {
    return {};
  }
  NodeSpec node;
  node.type = second ? "QueueCloseV2" : "QueueClose";
  node.name = free_name(graph, queue + (cancel ? "_Close_cancel" : "_Close"));
  node.inputs = {{.outputs = {found->output()}}};
  node.attrs = {{"cancel_pending_enqueues", wire::attr_of_bool(cancel)}};
  return graph.add_operation(node).name();
}

}  // namespace

// --- one thread

struct QueueRunnerThread::State {
  std::string name;
  std::function<void()> body;
  Coordinator* coordinator = nullptr;
  ThreadEnd end;
};

QueueRunnerThread::QueueRunnerThread(std::shared_ptr<State> state) : state_(std::move(state)) {}
QueueRunnerThread::QueueRunnerThread(QueueRunnerThread&&) noexcept = default;

QueueRunnerThread& QueueRunnerThread::operator=(QueueRunnerThread&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

QueueRunnerThread::~QueueRunnerThread() {
  if (state_ && state_->coordinator == nullptr) {
    join();
  }
}

const std::string& QueueRunnerThread::name() const noexcept { return state_->name; }

void QueueRunnerThread::start() {
  if (!state_->end.note_start()) {
    throw Misuse(fmt::format("{} was started before", state_->name));
  }
  try {
    if (state_->coordinator != nullptr) {
      state_->coordinator->start_thread(state_->name, [state = state_] {
        try {
          state->coordinator->stop_on_exception(state->body);
        } catch (...) {
          // Its coordinator was joined before; who started the thread there logs it.
          state->end.note_end();
          throw;
        }
        state->end.note_end();
      });
    } else {
      // Its body keeps its errors; its end is waited for through the state, which it holds.
      std::thread([state = state_] {
        try {
          state->body();
        } catch (...) {
          log_made(LogLevel::kError, [&] {
            return fmt::format("{} failed: {}", state->name, describe(std::current_exception()));
          });
        }
        state->end.note_end();
      }).detach();
    }
  } catch (...) {
    state_->end.note_end();
    throw;
  }
}

bool QueueRunnerThread::is_alive() const { return state_->end.running(); }
void QueueRunnerThread::join() { state_->end.wait(); }

// --- the runner

struct QueueRunner::Impl {
  QueueRunnerInfo info;
  mutable std::mutex mutex;
  // Threads of each session that were made and have not ended.
  std::map<const Session*, std::size_t> running;
  std::vector<std::exception_ptr> errors;

  // True if it was the last thread of the session.
  bool note_end(const Session& session) {
    const std::lock_guard lock(mutex);
    const auto found = running.find(&session);
    if (found == running.end() || --found->second > 0) {
      return false;
    }
    running.erase(found);
    return true;
  }

  [[nodiscard]] bool is_closed(const std::exception_ptr& error) const {
    const std::optional<Code> code = code_of(error);
    const std::vector<Code>& closed = info.queue_closed_codes;
    return code && std::find(closed.begin(), closed.end(), *code) != closed.end();
  }

  void run(Session& session, Coordinator* coordinator, const std::string& operation) {
    try {
      const SessionRunArgs args({operation});
      while (coordinator == nullptr || !coordinator->should_stop()) {
        static_cast<void>(session.run(args));
      }
      note_end(session);
    } catch (...) {
      handle(session, coordinator, std::current_exception());
    }
  }

  void handle(Session& session, Coordinator* coordinator, const std::exception_ptr& error) {
    const bool last = note_end(session);
    // What a stop has cancelled is no error of its own.
    if (coordinator != nullptr && coordinator->should_stop()) {
      return;
    }
    if (is_closed(error)) {
      if (last) {
        run_quietly(session, info.close_op);
      }
      return;
    }
    if (coordinator != nullptr) {
      std::rethrow_exception(error);
    }
    log_made(LogLevel::kError,
             [&] { return fmt::format("a thread that fills '{}' failed: {}", info.queue, describe(error)); });
    const std::lock_guard lock(mutex);
    errors.push_back(error);
  }

  // Counts the threads that are about to be made; false if there are some for this session.
  bool count(const Session& session) {
    const std::lock_guard lock(mutex);
    if (running.contains(&session)) {
      return false;
    }
    running[&session] = info.enqueue_ops.size();
    errors.clear();
    return true;
  }
};

QueueRunner::QueueRunner(Graph& graph, QueueRunnerInfo info) : impl_(std::make_shared<Impl>()) {
  if (info.queue.empty() || info.enqueue_ops.empty()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("QueueRunner: a queue and at least one enqueue operation were expected, found "
                            "the queue '{}' and {} operations",
                            info.queue, info.enqueue_ops.size()));
  }
  for (const std::string& operation : info.enqueue_ops) {
    static_cast<void>(graph.operation(operation));
  }
  if (info.close_op.empty()) {
    info.close_op = make_close(graph, info.queue, false);
  }
  if (info.cancel_op.empty()) {
    info.cancel_op = make_close(graph, info.queue, true);
  }
  if (info.queue_closed_codes.empty()) {
    info.queue_closed_codes = {Code::kOutOfRange};
  }
  impl_->info = std::move(info);
}

QueueRunner::~QueueRunner() = default;

std::string QueueRunner::to_proto() const {
  wire::QueueRunnerDefinition definition{
      info().queue, info().enqueue_ops, info().close_op, info().cancel_op, {}};
  for (const Code code : info().queue_closed_codes) {
    definition.closed_codes.push_back(static_cast<std::int64_t>(code));
  }
  return wire::write_queue_runner_definition(definition);
}

std::shared_ptr<QueueRunner> QueueRunner::from_proto(Graph& graph, std::string_view definition) {
  QueueRunnerInfo info;
  try {
    wire::QueueRunnerDefinition read = wire::read_queue_runner_definition(definition);
    info = {std::move(read.queue),
            std::move(read.enqueue_ops),
            std::move(read.close_op),
            std::move(read.cancel_op),
            {}};
    for (const std::int64_t code : read.closed_codes) {
      info.queue_closed_codes.push_back(static_cast<Code>(code));
    }
  } catch (const wire::Malformed& malformed) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("QueueRunner: a definition of a queue runner was expected, but {}; give the bytes "
                    "of a QueueRunnerDef",
                    malformed.what()));
  }
  return std::make_shared<QueueRunner>(graph, std::move(info));
}

const QueueRunnerInfo& QueueRunner::info() const noexcept { return impl_->info; }
const std::string& QueueRunner::name() const noexcept { return impl_->info.queue; }

std::vector<QueueRunnerThread> QueueRunner::create_threads(Session& session) {
  return create_threads(session, ThreadOptions{});
}

std::vector<QueueRunnerThread> QueueRunner::create_threads(Session& session, ThreadOptions options) {
  std::vector<QueueRunnerThread> threads;
  if (!impl_->count(session)) {
    return threads;
  }
  Coordinator* const coordinator = options.coordinator;
  const auto add = [&](const std::string& what, std::function<void()> body) {
    auto state = std::make_shared<QueueRunnerThread::State>();
    state->name = fmt::format("QueueRunnerThread-{}-{}", name(), what);
    state->body = std::move(body);
    state->coordinator = coordinator;
    threads.push_back(QueueRunnerThread(std::move(state)));
  };
  for (const std::string& operation : info().enqueue_ops) {
    add(operation,
        [impl = impl_, &session, coordinator, operation] { impl->run(session, coordinator, operation); });
  }
  if (coordinator != nullptr) {
    add("close_on_stop", [impl = impl_, &session, coordinator] {
      coordinator->wait_for_stop();
      run_quietly(session, impl->info.cancel_op);
    });
  }
  for (QueueRunnerThread& thread : threads) {
    if (options.start) {
      thread.start();
    }
  }
  return threads;
}

std::vector<std::exception_ptr> QueueRunner::exceptions_raised() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->errors;
}

// --- all runners of a graph

void add_queue_runner(Graph& graph, std::shared_ptr<QueueRunner> runner) {
  if (!runner) {
    throw Error(Code::kInvalidArgument, "add_queue_runner: a runner was expected, but it is null");
  }
  const std::string definition = runner->to_proto();
  graph.add_queue_runner(std::move(runner));
  // Only these graphs are written to files from which they are opened again.
  if (graph.engine() == "tensorflow") {
    graph.add_to_collection(kDefinitions, definition);
  }
}

std::vector<std::shared_ptr<QueueRunner>> queue_runners_of(Graph& graph) {
  return graph.queue_runner_objects(
      [&graph](const QueueRunnerInfo& info) { return std::make_shared<QueueRunner>(graph, info); });
}

std::vector<QueueRunnerThread> start_queue_runners(Session& session, StartQueueRunnersOptions options) {
  const std::vector<std::shared_ptr<QueueRunner>> runners = queue_runners_of(session.graph());
  if (runners.empty()) {
    log(LogLevel::kWarning,
        "start_queue_runners: the graph has no queue runners, so no thread was started; add them to the "
        "graph "
        "or leave the call out");
  }
  std::vector<QueueRunnerThread> all;
  for (const std::shared_ptr<QueueRunner>& runner : runners) {
    for (QueueRunnerThread& thread :
         runner->create_threads(session, {.coordinator = options.coordinator, .start = options.start})) {
      all.push_back(std::move(thread));
    }
  }
  return all;
}

}  // namespace fermata
