// Asks a session whether it is ready, and runs what makes it so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fermata/session.h"
#include "fermata/session_manager.h"

namespace fermata {

// Why a ready op says no: the names it lists. Nothing if it says yes, or if there is no op (contract SM-11).
// An evaluation that fails with "uninitialized" is a no as well (contract SM-12). Throws: other errors of the
// evaluation.
[[nodiscard]] std::optional<std::string> why_not_ready(Session& session,
                                                       const std::optional<Fetch>& ready_op);

// Runs `ops` together, with these feeds and options. Nothing to do if there are none.
void run_ops(Session& session, const std::vector<Fetch>& ops, const SessionManager::FeedList& feeds = {},
             const std::optional<RunOptions>& options = std::nullopt);

}  // namespace fermata
