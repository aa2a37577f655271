#include "conformance/scenario_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "conformance/errors.h"

namespace fermata::conformance {

struct ScenarioThreads::Entry {
  std::string name;
  std::atomic<bool> alive{true};
  std::mutex mutex;
  std::condition_variable changed;
  bool released = false;
  std::function<void()> at_end;
  std::thread thread;

  void call_at_end(std::function<void()> function) {
    const std::lock_guard lock(mutex);
    if (alive) {
      at_end = std::move(function);
    } else {
      function();
    }
  }
  void end() {
    const std::lock_guard lock(mutex);
    alive = false;
    if (at_end) {
      at_end();
    }
  }
  void release() {
    const std::lock_guard lock(mutex);
    released = true;
    changed.notify_all();
  }
  void wait_released(double seconds) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return released; });
  }
  // Ends with the stop, or when the scenario is over and the coordinator may be gone.
  void wait_stopped(Coordinator& coordinator) {
    std::unique_lock lock(mutex);
    while (!released && !coordinator.should_stop()) {
      changed.wait_for(lock, std::chrono::milliseconds(1));
    }
  }
};

namespace {

void report(Coordinator& coordinator, const Json& error) {
  try {
    coordinator.request_stop(error.is_null() ? nullptr : make_error(error.get<std::string>()));
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // After a join the error is thrown in the thread that reports it, and ends it.
  }
}

}  // namespace

ScenarioThreads::ScenarioThreads() = default;

ScenarioThreads::~ScenarioThreads() {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    entry->release();
    if (entry->thread.joinable()) {
      entry->thread.join();
    }
  }
}

void ScenarioThreads::start(Coordinator* coordinator, const Json& spec) {
  if (coordinator == nullptr) {
    throw NotExpressible("a thread of a coordinator that is gone with its session");
  }
  entries_.push_back(std::make_unique<Entry>());
  Entry& entry = *entries_.back();
  entry.name = spec["name"].get<std::string>();
  if (spec.value("register", true)) {
    entry.call_at_end(coordinator->register_thread(entry.name));
  }
  entry.thread = std::thread([&entry, coordinator, spec] {
    if (has(spec, "error")) {
      report(*coordinator, spec["error"]);
    } else if (has(spec, "until")) {
      entry.wait_stopped(*coordinator);
    } else {
      entry.wait_released(spec["seconds"].get<double>());
    }
    entry.end();
  });
  if (has(spec, "error")) {
    entry.thread.join();
  }
}

Json ScenarioThreads::alive() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->alive) {
      names.push_back(entry->name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ScenarioThreads::hand_over(Coordinator& coordinator, const std::vector<std::string>& names) {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (std::find(names.begin(), names.end(), entry->name) != names.end()) {
      entry->call_at_end(coordinator.register_thread(entry->name));
    }
  }
}

void ScenarioThreads::release() {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    entry->release();
  }
}

}  // namespace fermata::conformance
