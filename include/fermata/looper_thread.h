// A thread that calls a function again and again until its coordinator stops.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fermata/clock.h"
#include "fermata/coordinator.h"
#include "fermata/export.h"

namespace fermata {

// The coordinator owns the thread and joins it; this object may go before it ends. Threads: any.
class FERMATA_API LooperThread {
 public:
  struct Options {
    std::string name = "LooperThread";
    // Absent: one call after the other. Else the first call comes at once and the others at multiples of the
    // interval from the start; a call that comes late is made up for without a pause.
    std::optional<std::chrono::nanoseconds> timer_interval;
    std::function<void()> target;
    // Called in the thread before the first and after the last call of `target`; not after an error.
    std::function<void()> start_loop;
    std::function<void()> stop_loop;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // An error that leaves one of the functions is reported to the coordinator and ends the thread. The
  // coordinator must outlive the thread. Throws: Error kInvalidArgument without a target.
  LooperThread(Coordinator& coordinator, Options options);
  ~LooperThread();
  LooperThread(LooperThread&&) noexcept;
  LooperThread& operator=(LooperThread&&) noexcept;

  // Makes one and starts it.
  [[nodiscard]] static LooperThread loop(Coordinator& coordinator,
                                         std::optional<std::chrono::nanoseconds> timer_interval,
                                         std::function<void()> target);

  // Throws: Misuse for a second start.
  void start();
  [[nodiscard]] bool is_alive() const;
  // Waits until the thread has ended; at once if it was never started.
  void join() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fermata
