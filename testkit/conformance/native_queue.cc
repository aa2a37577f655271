#include "conformance/native_queue.h"

#include "fermata/error.h"

namespace fermata::conformance {

void NativeQueue::enqueue(Session& session, float value) {
  std::unique_lock lock(mutex_);
  State& state = states_[&session];
  changed_.wait(lock,
                [&] { return state.values.size() < capacity_ || state.cancelled || state.session_closed; });
  if (state.closed || state.session_closed) {
    throw Error(Code::kCancelled, "the queue is closed", ErrorSource::kEngine);
  }
  state.values.push_back(value);
  changed_.notify_all();
}

float NativeQueue::dequeue(Session& session) {
  std::unique_lock lock(mutex_);
  State& state = states_[&session];
  changed_.wait(lock, [&] { return !state.values.empty() || state.closed || state.session_closed; });
  if (state.session_closed) {
    throw Error(Code::kCancelled, "the session is closed", ErrorSource::kEngine);
  }
  if (state.values.empty()) {
    throw Error(Code::kOutOfRange, "the queue is closed and empty", ErrorSource::kEngine);
  }
  const float value = state.values.front();
  state.values.pop_front();
  changed_.notify_all();
  return value;
}

void NativeQueue::close(Session& session, bool cancel) {
  const std::lock_guard lock(mutex_);
  State& state = states_[&session];
  state.closed = true;
  state.cancelled = state.cancelled || cancel;
  changed_.notify_all();
}

bool NativeQueue::closed(Session& session) {
  const std::lock_guard lock(mutex_);
  return states_[&session].closed;
}

void NativeQueue::wake(Session& session) {
  const std::lock_guard lock(mutex_);
  states_[&session].session_closed = true;
  changed_.notify_all();
}

}  // namespace fermata::conformance
