// Which plans a run will want, as far as it is known before the session exists.
#pragma once

#include <vector>

#include "fermata/session.h"
#include "session/hooked_session.h"

namespace fermata {

// Each request of the caller with each combination of what the hooks may ask for, up to a bound; what lies
// past it is prepared when it first comes.
[[nodiscard]] std::vector<PlanRequest> announced_plans(const Graph& graph,
                                                       const std::vector<const SessionRunArgs*>& callers,
                                                       const std::vector<NamedHook>& hooks);

}  // namespace fermata
