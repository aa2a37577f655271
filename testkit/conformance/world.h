// What all parts of one running scenario share: the trace, the clock, faults to come, counters.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/coordinator_watch.h"
#include "conformance/json.h"
#include "fermata/session_run_hook.h"
#include "fermata/testkit/manual_clock.h"

namespace fermata::conformance {

class WatchedSession;

// Threads: one thread drives a scenario; threads that the scenario starts touch only what says so.
class World {
 public:
  World(const Json& scenario, std::string folder);
  ~World();

  // Writes a line of the trace, after what the coordinator did meanwhile.
  void say(const std::string& line);
  // `text` with the scenario's folder as $DIR.
  [[nodiscard]] std::string shown(std::string text) const;
  [[nodiscard]] bool on_main_thread() const { return std::this_thread::get_id() == main_thread_; }

  // Lets time pass, added up as the reference does it, in seconds of double precision.
  void advance(double seconds);
  // Time at the start of a run with hooks.
  void tick();
  // Seconds that making a session takes; null for none.
  [[nodiscard]] const Json& per_create() const;
  // Fault `count` of this kind ("run", "create", "close"); null if there is none.
  [[nodiscard]] const Json& fault(const char* kind, std::int64_t count) const;
  [[nodiscard]] const Json& raw_fault(const std::string& what, std::int64_t count) const;
  [[nodiscard]] const Json& override_of(const std::string& what, const std::string& label) const;
  // What `loss` is in this run, if the scenario says so.
  [[nodiscard]] std::optional<Tensor> scripted_loss(std::int64_t run) const;
  // Reports an error to the newest coordinator from this thread; null: a plain stop.
  void report_error(const Json& kind);

  // Whether somebody wants the trace of a run, which not every executor of TensorFlow makes.
  [[nodiscard]] bool wants_run_traces() const;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  // Names in arguments are relative to the folder of the scenario; "" stays "".
  [[nodiscard]] std::string path(const Json& name) const;

  std::shared_ptr<testkit::ManualClock> clock;
  CoordinatorWatch coordinators;
  std::vector<std::string> trace;
  Json results = Json::array();
  std::int64_t runs = 0;
  std::int64_t sessions = 0;
  std::int64_t closes = 0;
  std::map<std::string, std::int64_t> raw_counts;
  Json final_step;
  // The next run on the main thread is the one with hooks.
  bool hooked_run_next = false;
  // Nothing is written while the scenario looks at something by itself.
  bool hidden = false;
  // What a scenario left open is closed unseen, after all was noted.
  void keep(std::shared_ptr<void> open) { kept_.push_back(std::move(open)); }
  void close_unseen();
  // The newest one; null before the first and after it is gone.
  WatchedSession* session = nullptr;
  // Stands for the server of a scenario that has one.
  std::shared_ptr<Session> server;
  // Metadata of the last run with hooks.
  std::string run_metadata;

 private:
  // A pause: says so, and does what the scenario has for it.
  void note_pause(std::chrono::nanoseconds time);

  const Json& scenario_;
  std::string folder_;
  std::thread::id main_thread_ = std::this_thread::get_id();
  std::size_t pauses_ = 0;
  std::vector<std::shared_ptr<void>> kept_;
  double now_ = 2'000'000'000;
};

}  // namespace fermata::conformance
