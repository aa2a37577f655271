#include "session/queue_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

// What the threads of one queue share.
struct Queue {
  QueueRunnerInfo info;
  std::atomic<int> running{0};
};

bool is_closed(const Queue& queue, const std::exception_ptr& error) {
  const std::optional<Code> code = code_of(error);
  const std::vector<Code>& closed = queue.info.queue_closed_codes;
  return code && std::find(closed.begin(), closed.end(), *code) != closed.end();
}

// Closing a queue may fail because it is closed, or the session is: neither matters any more.
void run_quietly(Session& session, const std::string& operation) {
  try {
    static_cast<void>(session.run(SessionRunArgs({operation})));
  } catch (const std::exception& error) {
    log(LogLevel::kDebug, fmt::format("'{}' of a queue failed: {}", operation, error.what()));
  }
}

void enqueue_until_stopped(Session& session, Coordinator& coordinator, Queue& queue,
                           const std::string& operation) {
  const SessionRunArgs args({operation});
  try {
    while (!coordinator.should_stop()) {
      static_cast<void>(session.run(args));
    }
    --queue.running;
  } catch (...) {
    const bool last = --queue.running == 0;
    // What a stop has cancelled is no error of its own.
    if (coordinator.should_stop()) {
      return;
    }
    if (!is_closed(queue, std::current_exception())) {
      throw;
    }
    if (last) {
      run_quietly(session, queue.info.close_op);
    }
  }
}

}  // namespace

void start_queue_threads(Session& session, Coordinator& coordinator) {
  for (QueueRunnerInfo& info : session.graph().queue_runners()) {
    const auto queue = std::make_shared<Queue>();
    queue->info = std::move(info);
    queue->running = static_cast<int>(queue->info.enqueue_ops.size());
    for (const std::string& operation : queue->info.enqueue_ops) {
      coordinator.start_thread(fmt::format("QueueRunnerThread-{}-{}", queue->info.queue, operation),
                               [&session, &coordinator, queue, operation] {
                                 enqueue_until_stopped(session, coordinator, *queue, operation);
                               });
    }
    coordinator.start_thread(fmt::format("QueueRunnerThread-{}-close_on_stop", queue->info.queue),
                             [&session, &coordinator, queue] {
                               coordinator.wait_for_stop();
                               run_quietly(session, queue->info.cancel_op);
                             });
  }
}

}  // namespace fermata
