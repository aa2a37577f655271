// What a scenario has left on disk, as recordings say it.
#pragma once

#include "conformance/json.h"
#include "conformance/world.h"

namespace fermata::conformance {

// What writers of open sessions hold back is written first.
void flush_events(const std::string& folder);
// Names below the folder, sorted; event files without their numbers.
[[nodiscard]] Json files_in(const std::string& folder);
[[nodiscard]] Json states_in(const World& world);
[[nodiscard]] Json checkpoints_in(const std::string& folder);
[[nodiscard]] Json events_in(const World& world);

}  // namespace fermata::conformance
