// Coordinator by itself.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "conformance/kinds.h"
#include "fermata/looper_thread.h"

namespace fermata::conformance {
namespace {

std::chrono::nanoseconds seconds(double value) {
  return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(value));
}

Json scope(Coordinator& coordinator, const Json& step) {
  coordinator.stop_on_exception([&] {
    if (has(step, "error")) {
      raise(step["error"].get<std::string>());
    }
  });
  return "left quietly";
}

void join(Play& play, Coordinator& coordinator, const Json& step) {
  play.threads.hand_over(coordinator, step.value("threads", std::vector<std::string>()));
  coordinator.join(seconds(step.value("grace", 5.0)), step.value("ignore_live_threads", false));
}

Json looper(Coordinator& coordinator, const Json& step) {
  std::atomic<std::int64_t> left{step["stop_after"].get<std::int64_t>()};
  std::atomic<std::int64_t> calls{0};
  const Json& interval = member(step, "interval");
  const LooperThread thread = LooperThread::loop(
      coordinator, interval.is_null() ? std::nullopt : std::optional(seconds(interval.get<double>())), [&] {
        ++calls;
        if (--left != 0) {
          return;
        }
        if (has(step, "error")) {
          raise(step["error"].get<std::string>());
        }
        coordinator.request_stop();
      });
  thread.join();
  return {{"calls", calls.load()}, {"alive", thread.is_alive()}};
}

Json ask(Play& play, Coordinator& coordinator, const Json& step) {
  const auto what = step["do"].get<std::string>();
  if (what == "should_stop") {
    return coordinator.should_stop();
  }
  if (what == "joined") {
    return coordinator.joined();
  }
  if (what == "alive") {
    return play.threads.alive();
  }
  if (what == "wait_for_stop") {
    if (has(step, "timeout")) {
      return coordinator.wait_for_stop(seconds(step["timeout"].get<double>()));
    }
    coordinator.wait_for_stop();
    return coordinator.should_stop();
  }
  throw NotExpressible("coordinator steps of the kind " + what);
}

Json act(Play& play, Coordinator& coordinator, const Json& step) {
  const auto what = step["do"].get<std::string>();
  if (what == "request_stop" || what == "request_stop_without_context") {
    const Json& error = member(step, "error");
    coordinator.request_stop(error.is_null() ? nullptr : make_error(error.get<std::string>()));
  } else if (what == "thread") {
    play.threads.start(&coordinator, step);
  } else if (what == "scope") {
    return scope(coordinator, step);
  } else if (what == "looper") {
    return looper(coordinator, step);
  } else if (what == "raise_requested") {
    coordinator.raise_requested_exception();
  } else if (what == "clear_stop") {
    coordinator.clear_stop();
  } else if (what == "join") {
    join(play, coordinator, step);
  } else {
    return ask(play, coordinator, step);
  }
  return nullptr;
}

}  // namespace

Outcome play_coordinator(Play& play) {
  Coordinator::Options options;
  const Json& args = play.scenario["coordinator"];
  if (has(args, "clean")) {
    options.clean_stop = [clean = args["clean"]](const std::exception_ptr& error) {
      return std::find(clean.begin(), clean.end(), Json(kind_of(error))) != clean.end();
    };
  }
  Coordinator coordinator(std::move(options));
  note_calls(play, [&](const Json& step) { return act(play, coordinator, step); });
  // The coordinator waits for its threads when it goes.
  play.threads.release();
  return {};
}

}  // namespace fermata::conformance
