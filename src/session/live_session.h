// One session with what belongs to it. A recovery replaces the whole.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fermata/coordinator.h"
#include "fermata/session_creator.h"
#include "session/error_list.h"
#include "session/hooked_session.h"
#include "session/named_hooks.h"

namespace fermata {

using ErrorPredicate = std::function<bool(const std::exception_ptr&)>;

// Threads: one at a time, but for the coordinator.
class LiveSession {
 public:
  // Makes a session and tells the hooks of it (contract MON-2, steps 3 to 6). `hooks` must outlive it.
  // Throws: what went wrong, after what was made has been shut.
  LiveSession(SessionCreator& creator, const CreationRequest& request, const std::vector<NamedHook>& hooks,
              std::chrono::nanoseconds grace);

  [[nodiscard]] Session& session() noexcept { return *created_.session; }
  [[nodiscard]] HookedSession& hooked() noexcept { return *hooked_; }
  [[nodiscard]] const HookedSession& hooked() const noexcept { return *hooked_; }
  [[nodiscard]] Coordinator& coordinator() noexcept { return coordinator_; }
  [[nodiscard]] const std::string& restored_from() const noexcept { return created_.restored_from; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return created_.notes; }

  // Stops and joins the threads and closes the session; it stays as a closed one. An error of a thread goes
  // to `errors`; what `only_logged` says yes to, and an error of the close, only to the log (contract REC-2,
  // CLOSE-1, CLOSE-2, SING-2). An empty `only_logged` says no.
  void shut(ErrorList& errors, std::chrono::nanoseconds grace, const ErrorPredicate& only_logged) noexcept;

 private:
  using StopCallback = std::stop_callback<std::function<void()>>;

  void introduce(const std::vector<NamedHook>& hooks);

  CreatedSession created_;
  Coordinator coordinator_;
  // Requested when either the caller or the coordinator stops.
  std::stop_source stop_;
  StopCallback from_caller_;
  StopCallback from_coordinator_;
  std::optional<HookedSession> hooked_;
};

}  // namespace fermata
