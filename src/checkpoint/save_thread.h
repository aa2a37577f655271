// Does one piece of work at a time beside the loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace fermata {

// Threads: one at a time; busy() from any.
class SaveThread {
 public:
  SaveThread();
  // Waits for the work; call wait() first to bound that.
  ~SaveThread();
  SaveThread(const SaveThread&) = delete;
  SaveThread& operator=(const SaveThread&) = delete;

  // Requires: !busy(). `work` throws nothing and owns all it needs: after abandon() it outlives this.
  void start(std::function<void()> work);

  [[nodiscard]] bool busy() const noexcept;
  // False: it is still at work after `timeout`.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout);
  // Lets go of work that does not come to an end.
  void abandon();

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace fermata
