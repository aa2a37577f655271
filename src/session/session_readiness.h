// Brings a new session to the point where it can train.
#pragma once

#include <optional>
#include <string>

#include "fermata/scaffold.h"
#include "fermata/session.h"

namespace fermata {

// Why a ready op says no: the names it lists. Nothing if it says yes, or if there is no op (contract SM-11).
// An evaluation that fails with "uninitialized" is a no as well (contract SM-12). Throws: other errors of the
// evaluation.
[[nodiscard]] std::optional<std::string> why_not_ready(Session& session,
                                                       const std::optional<Fetch>& ready_op);

// Runs init_op and init_fn. Throws: Misuse if the scaffold has nothing to initialise with.
void initialize(Session& session, Scaffold& scaffold);

// Runs local init once the session is ready for it, then asks whether it is ready (contract SM-9, SM-10).
// Throws: Misuse that names what is not initialised.
void make_ready(Session& session, const Scaffold& scaffold);

}  // namespace fermata
