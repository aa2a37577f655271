// Stops a group of threads together and remembers why they stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/stop_verdict.h"

namespace fermata {

// One coordinator serves one session. Threads: every function may be called from any thread.
class FERMATA_API Coordinator {
 public:
  struct Options {
    // Which errors count as a stop without error. Default: those with the code kOutOfRange, but not
    // StopIteration (contract COORD-1).
    std::function<bool(const std::exception_ptr&)> clean_stop;
  };

  Coordinator();
  explicit Coordinator(Options options);
  // Requests stop and waits a few seconds for its threads; those that still run are named in the log and left
  // alone.
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Asks all threads to stop. The first error is kept, later ones are logged. After a completed join the
  // error is thrown in the caller (contract COORD-4).
  void request_stop(std::exception_ptr error = nullptr);
  // The same without an error, with words for the verdict. The first request is kept.
  void request_stop(StopRequest request);

  // Costs one atomic load.
  [[nodiscard]] bool should_stop() const noexcept { return stop_->load(std::memory_order_acquire); }
  // For waits of the program's own: requested when a stop is. After clear_stop ask anew.
  [[nodiscard]] std::stop_token stop_token() const;
  // The first request that came with words.
  [[nodiscard]] std::optional<StopRequest> stop_request() const;
  // The recorded error; null if none.
  [[nodiscard]] std::exception_ptr error() const noexcept;
  // Errors that came after the stop was requested, one sentence each.
  [[nodiscard]] std::vector<std::string> later_errors() const;
  // Throws the recorded error, if there is one, and keeps it.
  void raise_requested_exception() const;
  // Back to the state of a new coordinator; registered threads stay.
  void clear_stop();

  // Waits until a stop is requested, at most `timeout`. Returns should_stop().
  bool wait_for_stop(std::chrono::nanoseconds timeout);
  // Without a bound of time; a stop request ends it.
  void wait_for_stop();

  // Runs `body`; an exception that leaves it becomes request_stop(error) and goes no further.
  void stop_on_exception(const std::function<void()>& body);

  // Starts a thread that belongs to this coordinator: an exception that leaves `body` is a request_stop. The
  // name shows in messages about threads that do not end.
  void start_thread(std::string name, std::function<void()> body);
  // A thread made elsewhere; join waits for `done` as well. Returns a function the thread must call when it
  // ends.
  [[nodiscard]] std::function<void()> register_thread(std::string name);
  [[nodiscard]] bool joined() const noexcept;

  // Waits for all threads: without a bound until a stop is requested, from then on at most `grace`.
  // Throws: the recorded error; without one, Misuse that names the threads still running, unless
  // `ignore_live_threads`. A started thread that does not end within the grace is left to run and is
  // detached.
  void join(std::chrono::nanoseconds grace = std::chrono::seconds(120), bool ignore_live_threads = false);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
  // Of the above.
  const std::atomic<bool>* stop_;
};

}  // namespace fermata
