// A blocking queue of floats for the native counter graph, one for each session.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

#include "fermata/session.h"

namespace fermata::conformance {

// Behaves as TensorFlow's FIFOQueue of capacity one. Threads: any.
class NativeQueue {
 public:
  explicit NativeQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. Throws: Error kCancelled (engine) once the queue or the session is closed.
  void enqueue(Session& session, float value);
  // Waits for a value. Throws: Error kOutOfRange (engine) if the queue is closed and empty; kCancelled once
  // the session is closed.
  [[nodiscard]] float dequeue(Session& session);
  // No more values; with `cancel`, those that wait for room give up.
  void close(Session& session, bool cancel);
  [[nodiscard]] bool closed(Session& session);
  // Wakes all that wait in a session that was closed.
  void wake(Session& session);

 private:
  struct State {
    std::deque<float> values;
    bool closed = false;
    bool cancelled = false;
    bool session_closed = false;
  };

  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Session*, State> states_;
};

}  // namespace fermata::conformance
