// Who wanted the end, and who was first.
#pragma once

#include <exception>
#include <optional>

#include "fermata/coordinator.h"
#include "fermata/stop_verdict.h"
#include "session/stop_flag.h"

namespace fermata {

// The first cause that is seen stays. Threads: outside() may be used from any thread, the rest from the
// loop's.
class StopCauses {
 public:
  [[nodiscard]] StopFlag& outside() noexcept { return outside_; }

  // Takes a request if there is none yet.
  void note(const StopRequest& request);
  // Asks those who may want the end at any time: the caller, a signal (if signals are watched), a thread.
  void look(const Coordinator* coordinator, bool signals_watched);

  [[nodiscard]] bool any() const noexcept { return first_.has_value(); }

  // The first cause; without one, what the error of the last run says; without that, the call of close.
  [[nodiscard]] StopRequest first(const std::exception_ptr& last_run_error) const;
  // The same without who and why, which need memory.
  [[nodiscard]] StopRequest first_without_words(const std::exception_ptr& last_run_error) const noexcept;

 private:
  StopFlag outside_;
  std::optional<StopRequest> first_;
};

}  // namespace fermata
