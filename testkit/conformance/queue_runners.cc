// QueueRunner by itself, over a native graph with one queue.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>

#include "conformance/kinds.h"
#include "conformance/native_queue.h"
#include "conformance/values.h"
#include "fermata/error.h"
#include "fermata/monitored_session.h"
#include "fermata/native.h"
#include "fermata/queue_runner.h"

namespace fermata::conformance {
namespace {

// A queue, and the operations that the scenario asks for.
class QueueGraph {
 public:
  explicit QueueGraph(const Json& spec) : queue_(spec.value("capacity", std::size_t{10})) {
    info_.queue = spec.value("queue", true) ? "queue" : "";
    for (const Json& op : spec["ops"]) {
      add(op);
    }
    graph_.operation("close", {}, [this](native::StepOutputs& out) { queue_.close(out.session(), false); });
    graph_.operation("cancel", {}, [this](native::StepOutputs& out) { queue_.close(out.session(), true); });
    graph_.value("dequeue", {}, [this](native::Inputs in) { return queue_.dequeue(in.session()); });
    graph_.value("closed", {}, [this](native::Inputs in) { return queue_.closed(in.session()); });
    graph_.on_close([this](Session& session) { queue_.wake(session); });
    info_.close_op = "close";
    info_.cancel_op = "cancel";
  }

  [[nodiscard]] native::Graph& graph() noexcept { return graph_; }
  [[nodiscard]] const QueueRunnerInfo& info() const noexcept { return info_; }
  [[nodiscard]] Json counters() const {
    Json values = Json::array();
    for (const std::unique_ptr<std::atomic<std::int64_t>>& counter : counters_) {
      values.push_back(counter->load());
    }
    return values;
  }

 private:
  void add(const Json& op) {
    const std::string name = "op_" + std::to_string(info_.enqueue_ops.size());
    info_.enqueue_ops.push_back(name);
    if (has(op, "count_to")) {
      counters_.push_back(std::make_unique<std::atomic<std::int64_t>>(0));
      graph_.operation(
          name, {},
          [counter = counters_.back().get(), end = op["count_to"].get<std::int64_t>()](native::StepOutputs&) {
            if (counter->load() == end) {
              throw Error(Code::kOutOfRange, "the counter is at its end", ErrorSource::kEngine);
            }
            ++*counter;
          });
    } else if (has(op, "fails")) {
      graph_.operation(name, {}, [](native::StepOutputs&) { raise("INVALID_ARGUMENT"); });
    } else {
      graph_.operation(name, {}, [this, value = op["enqueue"].get<float>()](native::StepOutputs& out) {
        queue_.enqueue(out.session(), value);
      });
    }
  }

  native::Graph graph_;
  NativeQueue queue_;
  QueueRunnerInfo info_;
  std::vector<std::unique_ptr<std::atomic<std::int64_t>>> counters_;
};

std::vector<Code> codes_of(const Json& kinds) {
  std::vector<Code> codes;
  for (const Json& kind : kinds) {
    codes.push_back(code_of(make_error(kind.get<std::string>())).value());
  }
  return codes;
}

class QueueRunnerPlay {
 public:
  explicit QueueRunnerPlay(Play& play) : play_(play), spec_(play.scenario["queue_runner"]), queue_(spec_) {}

  Outcome all() {
    QueueRunnerInfo info = queue_.info();
    if (has(spec_, "queue_closed_exception_types")) {
      info.queue_closed_codes = codes_of(spec_["queue_closed_exception_types"]);
    }
    try {
      runner_ = std::make_shared<QueueRunner>(queue_.graph(), std::move(info));
    } catch (...) {
      return {kind_of(std::current_exception()), "constructor"};
    }
    session_ = queue_.graph().create_session({});
    queue_.graph().unfinalize();
    note_calls(play_, [this](const Json& step) { return act(step); });
    // What waits for room ends with the session.
    session_->close();
    coordinator_.request_stop();
    threads_.clear();
    return {};
  }

 private:
  Json take(std::vector<QueueRunnerThread> made) {
    const std::size_t count = made.size();
    std::move(made.begin(), made.end(), std::back_inserter(threads_));
    return {{"threads", count}};
  }

  Json create(const Json& step) {
    if (step.value("session", std::string()) == "other") {
      other_ = other_ ? std::move(other_) : queue_.graph().create_session({});
    }
    Session& session = step.value("session", std::string()) == "other" ? *other_ : *session_;
    return take(runner_->create_threads(
        session, {.coordinator = step.value("coordinator", false) ? &coordinator_ : nullptr,
                  .start = step.value("start", false)}));
  }

  Json start_all(const Json& step) {
    if (step.value("registered", true) && !registered_) {
      add_queue_runner(queue_.graph(), runner_);
      registered_ = true;
    }
    const std::string session = step.value("session", std::string());
    if (session == "no session" || session == "text") {
      static_assert(
          !std::is_invocable_v<decltype(start_queue_runners), std::nullptr_t, StartQueueRunnersOptions>);
      static_assert(
          !std::is_invocable_v<decltype(start_queue_runners), std::string, StartQueueRunnersOptions>);
      throw RefusedByCompiler(session == "text" ? "TypeErr" : "InvalidArg");
    }
    if (session == "monitored") {
      static_assert(
          !std::is_invocable_v<decltype(start_queue_runners), MonitoredSession&, StartQueueRunnersOptions>);
      return {{"threads", 0}};
    }
    return take(start_queue_runners(
        *session_, {.coordinator = step.value("coordinator", false) ? &coordinator_ : nullptr}));
  }

  Json join_threads() {
    std::int64_t alive = 0;
    for (QueueRunnerThread& thread : threads_) {
      thread.join();
      alive += thread.is_alive() ? 1 : 0;
    }
    return {{"alive", alive}};
  }

  Json errors() const {
    std::vector<std::string> kinds;
    for (const std::exception_ptr& error : runner_->exceptions_raised()) {
      kinds.push_back(kind_of(error));
    }
    std::sort(kinds.begin(), kinds.end());
    return kinds;
  }

  Json act(const Json& step) {
    const auto what = step["do"].get<std::string>();
    if (what == "create_threads") {
      return create(step);
    }
    if (what == "start_queue_runners") {
      return start_all(step);
    }
    if (what == "join_threads") {
      return join_threads();
    }
    if (what == "counters") {
      return queue_.counters();
    }
    if (what == "errors") {
      return errors();
    }
    if (what == "dequeue") {
      return plain(session_->run(Fetch("dequeue:0")).view());
    }
    if (what == "queue_closed") {
      return plain(session_->run(Fetch("closed:0")).view());
    }
    if (what == "should_stop") {
      return coordinator_.should_stop();
    }
    change(what, step);
    return nullptr;
  }

  void change(const std::string& what, const Json& step) {
    if (what == "start") {
      for (QueueRunnerThread& thread : threads_) {
        thread.start();
      }
    } else if (what == "request_stop") {
      const Json& error = member(step, "error");
      coordinator_.request_stop(error.is_null() ? nullptr : make_error(error.get<std::string>()));
    } else if (what == "join") {
      coordinator_.join(std::chrono::round<std::chrono::nanoseconds>(
          std::chrono::duration<double>(step.value("grace", 5.0))));
    } else {
      throw NotExpressible("queue runner steps of the kind " + what);
    }
  }

  Play& play_;
  const Json& spec_;
  QueueGraph queue_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> other_;
  Coordinator coordinator_;
  std::shared_ptr<QueueRunner> runner_;
  std::vector<QueueRunnerThread> threads_;
  bool registered_ = false;
};

}  // namespace

Outcome play_queue_runner(Play& play) { return QueueRunnerPlay(play).all(); }

}  // namespace fermata::conformance
