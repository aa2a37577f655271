// How a session ended, in words, and who is told.
#pragma once

#include <exception>
#include <span>

#include "fermata/stop_verdict.h"
#include "session/error_list.h"
#include "session/named_hooks.h"

namespace fermata {

// The verdict without what the session knows of itself (step, checkpoint, notes). Any error makes it a
// failure; `run_error` is of the last run and counts where nothing else failed.
[[nodiscard]] StopVerdict make_verdict(StopRequest cause, const ErrorList& errors,
                                       const std::exception_ptr& run_error);

// The essence of it, which needs no memory.
[[nodiscard]] StopVerdict short_verdict(const StopRequest& cause, const ErrorList& errors,
                                        const std::exception_ptr& run_error) noexcept;

// The last call of each hook. What a hook throws goes to the log and to the verdict's later errors; all hooks
// see the verdict as it was before.
void tell_finished(std::span<const NamedHook> hooks, StopVerdict& verdict) noexcept;

}  // namespace fermata
